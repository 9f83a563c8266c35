import { expect, it } from "vitest";
import { createAsTyped } from "./as-typed.js";

const agent = (name: string) => ({ npm_config_user_agent: `${name} npm/? node/v22.1.0 linux x64` });
const project = "/home/me/app";
const bin = `${project}/node_modules/.bin/kindlm`;

it.each<[what: string, env: Record<string, string>, script: string | undefined, expected: string]>([
  ["npx in a project", agent("npm/10.9.0"), bin, "npx kindlm"],
  ["an npm script", { ...agent("npm/10.9.0"), PATH: `${project}/node_modules/.bin:/bin` }, bin, "npx kindlm"],
  ["pnpm", agent("pnpm/12.1.0"), `${project}/node_modules/@kindlm/cli/dist/bin.cjs`, "pnpm kindlm"],
  ["pnpm by its program alone", { npm_execpath: "/opt/pnpm/bin/pnpm.cjs" }, bin, "pnpm kindlm"],
  ["npm by its program alone", { npm_execpath: "/usr/lib/node_modules/npm/bin/npm-cli.js" }, bin, "npx kindlm"],
  ["yarn 1", agent("yarn/1.22.22"), bin, "yarn kindlm"],
  ["yarn with Plug'n'Play", agent("yarn/4.9.0"), `${project}/.yarn/cache/a.zip/node_modules/b/bin.cjs`, "yarn kindlm"],
  ["bunx", agent("bun/1.3.0"), bin, "bunx kindlm"],
  ["the file in the project itself", { PATH: "/bin" }, bin, "npx kindlm"],
  ["a folder that someone put on the PATH", { PATH: `/bin:${project}/node_modules/.bin` }, bin, "kindlm"],
  ["a global program", { PATH: "/usr/local/bin" }, "/usr/local/bin/kindlm", "kindlm"],
  ["a global program in an npm script", agent("npm/10.9.0"), "/usr/local/bin/kindlm", "kindlm"],
  ["a global program of pnpm", {}, "/home/me/.local/share/pnpm/global/5/node_modules/@kindlm/cli/bin.cjs", "kindlm"],
  ["a global program on Windows", {}, String.raw`C:\Users\me\npm\node_modules\@kindlm\cli\dist\bin.cjs`, "kindlm"],
  ["npx without a project", agent("npm/10.9.0"), "/home/me/.npm/_npx/a1/node_modules/.bin/kindlm", "npx @kindlm/cli"],
  [
    "pnpm dlx",
    agent("pnpm/12.1.0"),
    "/home/me/.cache/pnpm/dlx/a1/b2/node_modules/@kindlm/cli/bin.cjs",
    "pnpm dlx @kindlm/cli",
  ],
  ["yarn dlx", agent("yarn/4.9.0"), "/tmp/xfs-1/dlx-22/node_modules/.bin/kindlm", "yarn dlx @kindlm/cli"],
  ["bunx without a project", agent("bun/1.3.0"), "/tmp/bunx-1-kindlm/node_modules/.bin/kindlm", "bunx @kindlm/cli"],
  ["an unknown package manager", agent("cnpm/9.0.0"), bin, "npx kindlm"],
  ["the source of KindLM", agent("pnpm/12.1.0"), "/src/kindlm/packages/cli/dist/bin.cjs", "kindlm"],
  ["nothing known", {}, undefined, "kindlm"],
])("writes the command as it was typed: %s", (_what, env, script, expected) => {
  const asTyped = createAsTyped({ env, cwd: `${project}/evals`, script });
  expect(asTyped("Run: kindlm test --resume")).toBe(`Run: ${expected} test --resume`);
});

it("knows a project on Windows", () => {
  const script = String.raw`C:\app\node_modules\@kindlm\cli\dist\bin.cjs`;
  const asTyped = createAsTyped({ env: agent("npm/10.9.0"), cwd: String.raw`C:\app\evals`, script });
  expect(asTyped("kindlm test")).toBe("npx kindlm test");
});

it.each([
  ["KindLM needs a config", "KindLM needs a config"],
  ["Remove .kindlm from .gitignore", "Remove .kindlm from .gitignore"],
  ["kindlm.yaml: valid", "kindlm.yaml: valid"],
  ['Did you mean "kindlm test"?', 'Did you mean "kindlm test"?'],
  ["https://kindlm.com/kindlm x", "https://kindlm.com/kindlm x"],
  ["no case matches (kindlm test --list shows all)", "no case matches (npx kindlm test --list shows all)"],
  ["kindlm test, then `kindlm baseline set`", "npx kindlm test, then `npx kindlm baseline set`"],
  ["kindlm", "npx kindlm"],
  ["Use kindlm -h", "Use npx kindlm -h"],
])("changes commands only: %s", (text, expected) => {
  const asTyped = createAsTyped({ env: agent("npm/10.9.0"), cwd: project, script: bin });
  expect([asTyped(text), asTyped(expected)]).toEqual([expected, expected]);
});
