import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repository } from "./support/run-cli.js";

const readme = readFileSync(join(repository, "README.md"), "utf8");

it("shows the report in the colors that a reader prefers, as small pictures", () => {
  const [dark] = /media="\(prefers-color-scheme: dark\)" srcset="([^"]+)"/.exec(readme)?.slice(1) ?? [];
  const [light] = /<img alt="[^"]{40,}" src="([^"]+)"/.exec(readme)?.slice(1) ?? [];
  expect({ dark, light }).toEqual({ dark: "docs/images/report-dark.png", light: "docs/images/report-light.png" });
  for (const name of [dark, light]) {
    const path = join(repository, name ?? "");
    expect(readFileSync(path).subarray(1, 4).toString()).toBe("PNG");
    expect(statSync(path).size).toBeLessThan(150_000);
  }
});

it("says first what to type", () => {
  expect(/```sh\n([^]*?)```/.exec(readme)?.[1]).toMatch(/^npx -y pnpm@12 demo .*\nnpx -y pnpm@12 test .*\n$/);
});

it.each(["cli", "core", "server", "vitest"])("the page of the package %s links to its documentation", (name) => {
  const folder = join(repository, "packages", name);
  const page = readFileSync(join(folder, "README.md"), "utf8");
  const linked = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
  // The registry shows the page without the repository around it.
  expect(linked.filter((link) => !link.startsWith("https://"))).toEqual([]);
  expect(linked.some((link) => link.startsWith("https://kindlm.com/docs"))).toBe(true);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, unknown>;
  expect(manifest).toMatchObject({
    homepage: expect.stringMatching(/^https:/),
    repository: { directory: `packages/${name}` },
    bugs: { url: expect.stringMatching(/^https:/) },
  });
});
