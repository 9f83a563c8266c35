import { describe, expect, it } from "vitest";
import { createLeakFinder, type Canary } from "./support/canary/leaks.js";
import { writtenFiles } from "./support/canary/written-files.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sharedModules } from "../packages/core/src/__fixtures__/shared-modules.js";
import { runCli } from "./support/run-cli.js";
import { runProcess } from "./support/start-cli.js";

/** Secrets as they are found in the world. None has the shape of a key. */
const canaries = {
  /** Quotes, backslashes and all that is escaped somewhere. */
  SHOP_PASSWORD: String.raw`Qz7"Wk+/9%Xd&Lp=Vm?Rt\Hs<Jf>Ub`,
  /** Could be a number in JSON. */
  PIN_TOKEN: "730951846220",
  /** Could be the name of a file. */
  FILE_SECRET: "wHzkQ7vXn3mTdRjY9pLs",
  /** In `.env` alone. */
  DOTENV_KEY: "Yv3^Nc|Gx~5%Tb;Zk-Dq~Mw/Pr+Ls=8",
  /** Of a variable whose name says nothing: it is in an address. */
  DATABASE_URL: "gTq8ZvKx2WnPj5RbYd7LmHs",
} as const;
/** Stand in the config itself. */
const written = { header: "Rb4kWq9ZtXv2MnLs7Gp", address: "Jc5hVy8NdTf3QwKz6Bm" } as const;
const all = Object.entries({ ...canaries, ...written }).map(([name, value]): Canary => ({ name, value }));
const findLeaks = createLeakFinder(all);
const everything = all.map(({ value }) => value).join(" ");

const env = {
  SHOP_PASSWORD: canaries.SHOP_PASSWORD,
  PIN_TOKEN: canaries.PIN_TOKEN,
  FILE_SECRET: canaries.FILE_SECRET,
  DATABASE_URL: `postgres://me:${canaries.DATABASE_URL}@db.example/shop`,
};

const told = JSON.stringify(everything);
const file = canaries.FILE_SECRET;

/** Tells its secrets with each answer, each error and everything it prints. In bash, which starts sooner than Node. */
const mcpServer = `
told=$(<told.txt) json=$(<told.json)
tool() { printf '{"name":"%s","description":%s,"inputSchema":{"type":"object"}}' "$1" "$json"; }
send() { printf '{"jsonrpc":"2.0","id":%s,%s}\\n' "$id" "$1"; }
printf 'starting with %s\\n' "$told" >&2
while read -r line; do
  [[ $line =~ \\"id\\":([0-9]+) ]] || continue
  id=\${BASH_REMATCH[1]}
  case $line in
    *'"method":"initialize"'*)
      [[ $line =~ \\"protocolVersion\\":(\\"[^\\"]*\\") ]]
      shaken='"capabilities":{"tools":{}},"serverInfo":{"name":'$json',"version":"1"}'
      send '"result":{"protocolVersion":'"\${BASH_REMATCH[1]},$shaken}" ;;
    *'"method":"tools/list"'*)
      send '"result":{"tools":['"$(tool mcp_fine),$(tool mcp_refuses),$(tool mcp_crashes)]}" ;;
    *'"name":"mcp_fine"'*) send '"result":{"isError":false,"content":[{"type":"text","text":'"$json}]}" ;;
    *'"name":"mcp_refuses"'*) send '"error":{"code":-32603,"message":'"$json}" ;;
    *'"name":"mcp_crashes"'*) printf '%s\\n' "$told" >&2; exit 3 ;;
  esac
done
`;

// Without `defineTool`: each run would compile the package once more, in the thread of the modules.
const checks = `
const told = ${told};
export const fails = () => ({ pass: false, message: told, actual: { told, pin: ${canaries.PIN_TOKEN} } });
export const throws = () => speak() ?? rejected();
const rejected = () => {
  throw new Error(told, { cause: new TypeError(told) });
};
export const tool = {
  name: "module_tool", description: told, input_schema: { type: "object" }, exec(_args, ctx) {
    ctx.emit("asked", { told });
    throw new Error(told);
  },
};
`;

/** What a module does to the process that it runs in, and at last ends it in the middle of a line. */
const speaking = `
function speak() {
  console.log("logged", told);
  console.error({ told });
  process.stderr.write(told.slice(0, 40));
  process.stderr.write(told.slice(40) + "\\n");
  process.stdout.write(Buffer.from("printed " + told + "\\n"));
  void Promise.reject(new Error("left behind: " + told));
  return new Promise(() => setImmediate(() => {
    process.stdout.write(told);
    process.stderr.write(told);
    process.exit(3);
  }));
}
`;

const plugin = `export default { name: "p", toolFailed: () => { throw new Error(${told}); } };`;

const assertion = (more: object): object => ({ type: "contains", value: "nothing of the kind", ...more });

function config(): string {
  const call = (tool: string, args: object = {}): object => ({ tool, args });
  const calls = [
    call("lookup", { order: everything, pin: Number(canaries.PIN_TOKEN) }),
    call("lookup", { pin: Number(canaries.PIN_TOKEN) }),
    ...["broken", "module_tool", "mcp_fine", "mcp_refuses", "mcp_crashes", "unknown_tool"].map((tool) => call(tool)),
  ];
  const parameters = { type: "object" };
  return JSON.stringify({
    version: 1,
    project: `shop ${file}`,
    plugins: ["./plugin.mjs"],
    providers: {
      unreachable: {
        type: "openai",
        base_url: `http://me:${written.address}@127.0.0.1:9/v1`,
        headers: { "x-shop-secret": written.header, "x-more": "${DOTENV_KEY}" },
      },
    },
    models: [
      {
        id: "m",
        provider: "scripted",
        script: {
          rules: [{ when: { turn: 1 }, reply: { tool_calls: calls } }],
          otherwise: { text: `**${everything}** {"password": ${told}}` },
        },
      },
      { id: "unreachable", provider: "unreachable", model: "x", retry: "disabled" },
    ],
    defaults: { models: ["m"] },
    suites: [
      {
        name: `tools ${file}`,
        mcp_servers: [{ name: "leaky", command: ["bash", "server.sh"] }],
        tools: [
          { name: "lookup", description: everything, parameters, default: { return: { everything, n: [everything] } } },
          { name: "broken", parameters, default: { error: { type: "runtime", message: everything } } },
          { module: "./checks.mjs#tool" },
        ],
        tests: [
          {
            name: `calls ${file}`,
            tags: [file],
            rows: [{ who: everything }, { who: file }],
            input: "I am {{who}}",
            assert: [
              { type: "tool_called", tool: "lookup", args: { order: "another", pin: 1 } },
              assertion({ value: "another {{who}}" }),
              { type: "equals", value: everything },
              { type: "no_pii" },
            ],
          },
        ],
      },
      {
        name: "checks",
        tests: [
          { name: "reads", dataset: "rows.jsonl", input: "{{question}}", assert: [assertion({})] },
          { name: "fails", input: everything, assert: [{ type: "module", module: "./checks.mjs#fails" }] },
          { name: "throws", input: "x", assert: [{ type: "module", module: "./checks.mjs#throws" }] },
          { name: "command", input: "x", assert: [{ type: "command", command: ["sh", "tell.sh"] }] },
          { name: "unreachable", models: ["unreachable"], input: everything, assert: [assertion({})] },
        ],
      },
      {
        name: "programs",
        target: { command: ["sh", "tell.sh"], id: "p" },
        tests: [{ name: "crashes", input: everything, assert: [assertion({})] }],
      },
      {
        name: "missing",
        system_prompt_file: `prompts/${file}.md`,
        tests: [{ name: "t", dataset: `${file}.csv`, input: "x", assert: [assertion({})] }],
      },
    ],
  });
}

const files = {
  "kindlm.yaml": config(),
  ".env": `DOTENV_KEY='${canaries.DOTENV_KEY}'\n`,
  "server.sh": mcpServer,
  "checks.mjs": `${checks}function speak() {}\n`,
  "plugin.mjs": plugin,
  "tell.sh": "cat told.txt >&2; exit 3",
  "told.txt": `${everything}\n`,
  "told.json": told,
  "rows.jsonl": `${JSON.stringify({ question: everything })}\n`,
};

/** For a run in a process of its own. */
const speakingFiles = { ...files, "checks.mjs": checks + speaking };

/** Their modules need no worker of their own. */
const shared = { openModules: sharedModules };

function expectNoLeaks(texts: Readonly<Record<string, string>>): void {
  const leaks = Object.entries(texts).map(([name, text]) => [name, findLeaks(text)]);
  expect(leaks).toEqual(Object.keys(texts).map((name) => [name, []]));
}

describe.concurrent("secrets that the world tells", () => {
  const outputs = ["--reporter", "json=out/r.json", "--reporter", "junit=out/j.xml"];

  it.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ["the terminal, traced", ["--verbose"], { DEBUG: "kindlm*", FORCE_COLOR: "1" }],
    ["a short report, and cassettes", ["--cassette", "record"], {}],
    ["JUnit, and a log", ["--reporter", "junit", "--log-format", "json", "--verbose"], { DEBUG: "*" }],
    ["events", ["--events", "-", "--verbose"], {}],
  ])("are in nothing that a run shows or writes: %s", async (_name, given, more) => {
    const cwd = makeProject(files);
    const args = ["test", ...given, ...outputs];
    if (!args.includes("-")) args.push("--events", "out/e.jsonl");
    const { code, stdout, stderr } = await runCli(args, { ...shared, cwd, env: { ...env, ...more } });
    expect(code).toBe(1);
    const found = writtenFiles(cwd, Object.keys(files));
    expect(Object.keys(found)).toEqual(expect.arrayContaining(["out/r.json", "out/j.xml"]));
    expect(Object.keys(found).join("\n")).toMatch(
      /^\.kindlm\/runs\/[^/]+\/journal\.jsonl\n\.kindlm\/runs\/[^/]+\/run\.json$/m,
    );
    const redacted = Object.keys(found).filter((name) => !name.endsWith(".gitignore"));
    for (const text of [stdout, ...redacted.map((name) => found[name])]) expect(text).toContain("[redacted]");
    expectNoLeaks({ stdout, stderr, ...found });
    const { summary } = JSON.parse(found["out/r.json"] ?? "") as { summary: object };
    expect(summary).toMatchObject({ total: 9, failed: 4, errored: 4, skipped: 1 });
    for (const [name, text] of Object.entries(found)) {
      if (name.endsWith(".jsonl"))
        for (const line of text.trimEnd().split("\n")) expect(JSON.parse(line)).toBeDefined();
    }
  });

  it("are in nothing that a module does to its process", async () => {
    const cwd = makeProject(speakingFiles);
    const args = ["test", "-t", "throws", "--reporter", "junit", "--log-format", "json", "--verbose", ...outputs];
    const ran = await runProcess([...args, "--events", "out/e.jsonl"], { cwd, env: { ...env, DEBUG: "*" } });
    const { code, stdout, stderr } = ran;
    expect(code).toBe(1);
    expect(stdout + stderr).toMatch(/printed \[redacted\].*called process\.exit\(3\)/s);
    const found = writtenFiles(cwd, Object.keys(files));
    expect(Object.keys(found)).toEqual(expect.arrayContaining(["out/r.json", "out/j.xml", "out/e.jsonl"]));
    expectNoLeaks({ stdout, stderr, ...found });
  });

  it.each<[string, readonly string[]]>([
    ["a report that cannot be written", ["test", "-t", "programs", "--reporter", `json=kindlm.yaml/${file}/r.json`]],
    ["events that cannot be written", ["test", "-t", "programs", "--events", `kindlm.yaml/${file}`]],
    ["a config that is not there", ["test", "-c", `${file}.yaml`]],
    ["an option that is not there", ["test", `--${file}`]],
    ["a command that is not there", [file]],
    ["a filter that fits nothing", ["test", "-t", file, "--tag", everything]],
    ["a reporter that is not there", ["test", "--reporter", file]],
    ["an error that is not there", ["explain", `${file} ${canaries.SHOP_PASSWORD}`]],
    ["validation", ["validate", "--verbose"]],
    ["validation as JSON", ["validate", "--json"]],
    ["a list", ["test", "--list"]],
    ["a list as JSON", ["test", "--list", "--json"]],
    ["the doctor", ["doctor", "--verbose", "--offline"]],
    ["the rehearsal", ["doctor", "--chaos", "--json"]],
    ["a new project", ["init", "--yes", "--dir", file]],
  ])("are not in what is said about %s", async (_name, args) => {
    const cwd = makeProject(files);
    const { stdout, stderr } = await runCli(args, { ...shared, cwd, env: { ...env, DEBUG: "kindlm*" } });
    expect(`${stdout}${stderr}`).not.toBe("");
    expectNoLeaks({ stdout, stderr, ...writtenFiles(cwd, Object.keys(files)) });
  });

  it("leave JSON that can be read", async () => {
    const cwd = makeProject(files);
    for (const args of [
      ["test", "--list", "--json"],
      ["validate", "--json"],
      ["doctor", "--offline", "--json"],
    ]) {
      const { stdout } = await runCli(args, { ...shared, cwd, env });
      expect(stdout).toContain("[redacted]");
      expect(JSON.parse(stdout)).toBeTypeOf("object");
    }
  });

  it("are not in what is said of a run that is over, nor in one that goes on", async () => {
    const cwd = makeProject(files);
    await runCli(["test", "--shard", "1/2", "--verbose"], { ...shared, cwd, env });
    const later = [
      ["runs", "list", "--json"],
      ["runs", "show", "last"],
      ["report", "--reporter", "json", "--verbose"],
      ["report", "--reporter", "pretty", "--reporter", "junit=out/j.xml", "--verbose"],
      ["test", "--rerun-failed", "--verbose"],
      ["test", "--resume", "--verbose", "--reporter", "json"],
    ];
    for (const args of later) {
      const { stdout, stderr } = await runCli(args, { ...shared, cwd, env });
      expect(`${stdout}${stderr}`).toContain("[redacted]");
      expectNoLeaks({ stdout, stderr, ...writtenFiles(cwd, Object.keys(files)) });
    }
  });
});
