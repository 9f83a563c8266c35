import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { echoNames, startEchoingServer, type Echo } from "./support/canary/echoing-server.js";
import { createLeakFinder, type Canary } from "./support/canary/leaks.js";
import { writtenFiles } from "./support/canary/written-files.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import type { ProviderShape } from "../packages/core/src/__fixtures__/provider-replies.js";
import { readHtmlReport } from "./support/read-html-report.js";
import { runCli, type CliOutcome } from "./support/run-cli.js";
import { runProcess } from "./support/start-cli.js";
import type { LoopbackServer } from "../packages/core/src/__fixtures__/start-server.js";

/** None looks like a key, and all have characters that are escaped or encoded somewhere. */
const canaries = {
  OPENAI_API_KEY: String.raw`Qz7"Wk+/9%Xd&Lp=Vm?Rt\Hs<Jf>Ub`,
  ANTHROPIC_API_KEY: String.raw`Yv3^Nc|Gx~5%Tb;Zk"Dq\Mw/Pr+Ls=8`,
  /** A header whose name does not tell what it holds. */
  TEAM: "Kx9+Wj/Bq4=Vz-Hn_Ty:Rd~Lm&Fs%Gp",
  GATEWAY_USER: "jubQykXvzWqoRtp",
  GATEWAY_PASSWORD: "wHzkQ7vXn3mTdRjY9pLs",
  SIGNATURE: "gTq8ZvKx2WnPj5RbYd7LmHs",
  /** No header can carry it. */
  LINES: "uF6!mZr2@Xc^Kp8\nvB3*Ws7(Hd)Qj1",
} as const;
const all = Object.entries(canaries).map(([name, value]): Canary => ({ name, value }));
const findLeaks = createLeakFinder(all);

/** These are in `.env`, the others in the environment. */
const inFile = ["ANTHROPIC_API_KEY", "SIGNATURE"] as const;
const dotenv = inFile.map((name) => `${name}='${canaries[name]}'\n`).join("");

interface Variant {
  shape: ProviderShape;
  echo: Echo;
  stream: boolean;
  /** How far the echo is moved, so that cuts fall on different places of it. */
  filler: number;
}

const isLong = inject("isLong");

/** Each echo by both providers, one of which streams, in turn; `pnpm test:long` has both ways of both. */
const variants: readonly Variant[] = echoNames.flatMap((echo, index): Variant[] =>
  [
    { shape: "openai", echo, stream: false, filler: 0 } as const,
    { shape: "openai", echo, stream: true, filler: 8 } as const,
    { shape: "anthropic", echo, stream: true, filler: 27 } as const,
    { shape: "anthropic", echo, stream: false, filler: 19 } as const,
  ].filter((_variant, way) => isLong || way % 2 === index % 2),
);

/** Narrows a filter of tests to one provider, whose replies fail in all ways; `pnpm test:long` has both. */
const only = (provider: string): string => (isLong ? "@" : provider);

/** The servers that fail otherwise do so whatever the test asserts. */
const answers: ReadonlySet<Echo> = new Set<Echo>(["text", "tool-arguments", "tool-text"]);

function configFor({ url }: LoopbackServer): string {
  const nameOf = ({ shape, echo, filler }: Variant): string => `${shape}-${echo}-${filler}`;
  const address = url.replace("://", "://${GATEWAY_USER}:${GATEWAY_PASSWORD}@");
  const providers = variants.map((variant) => {
    const { shape, echo, filler } = variant;
    const settings = {
      type: shape,
      base_url: `${address}/${shape}/${echo}/f${filler}/v1?sig=\${SIGNATURE}`,
      api_key_env: shape === "openai" ? "OPENAI_API_KEY" : "ANTHROPIC_API_KEY",
      headers: { "x-team": "${TEAM}" },
    };
    return [nameOf(variant), settings] as const;
  });
  const unsendable = { type: "openai", base_url: url, headers: { "x-lines": "${LINES}" } };
  const tool = {
    name: "lookup_order",
    parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] },
    default: { return: { found: "{{args.order_id}}" } },
  };
  const tests = [
    {
      name: "passes",
      models: [...variants.filter(({ echo }) => answers.has(echo)).map(nameOf), "unsendable"],
      input: "Where is it?",
      assert: [{ type: "contains", value: "delivered" }],
    },
    {
      name: "fails",
      models: variants.map(nameOf),
      input: "Where is it?",
      assert: [
        { type: "equals", value: "something else" },
        { type: "matches", value: "^nothing$" },
        { type: "tool_called", tool: "lookup_order", args: { order_id: "ORD-1" } },
      ],
    },
  ];
  return JSON.stringify({
    version: 1,
    providers: { ...Object.fromEntries(providers), unsendable },
    models: [
      ...variants.map((variant) => ({
        id: nameOf(variant),
        provider: nameOf(variant),
        model: "model-1",
        stream: variant.stream,
        ...(variant.echo === "429" ? { retry: "disabled" } : {}),
      })),
      { id: "unsendable", provider: "unsendable", model: "model-1" },
    ],
    retry: { max_attempts: 2, initial_delay: "1ms", max_delay: "1ms" },
    limits: { max_turns: 2 },
    circuit_breaker: false,
    suites: [{ name: "s", tools: [tool], tests }],
  });
}

let server: LoopbackServer;
let cwd = "";

beforeAll(async () => {
  server = await startEchoingServer(Object.values(canaries));
  cwd = makeProject({ "kindlm.yaml": configFor(server), "broken.yaml": broken, ".env": dotenv });
});
afterAll(() => server.close());

/** Every value is wrong in its place, so that it is spoken of. */
const broken = JSON.stringify({
  version: 1,
  providers: {
    a: { type: "openai", base_url: "${SIGNATURE}", api_key_env: "OPENAI_API_KEY" },
    b: { type: "${TEAM}", headers: { "x-team": "${TEAM}" } },
    c: { type: "openai", organization: "${GATEWAY_PASSWORD}", "${TEAM}": "${OPENAI_API_KEY}" },
    d: {
      type: "openai",
      headers: "${ANTHROPIC_API_KEY}",
      base_url: "ftp://${GATEWAY_USER}:${GATEWAY_PASSWORD}@x.example",
    },
  },
  models: [{ id: "m", provider: "a", model: "m" }],
  suites: [{ name: "s", tests: [{ name: "t", input: "x", assert: [{ type: "contains", value: "x" }] }] }],
});

const own = Object.entries(canaries).filter(([name]) => !inFile.some((filed) => filed === name));

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CliOutcome> {
  return runCli(args, { cwd, env: { ...Object.fromEntries(own), ...env } });
}

function expectNoLeaks(texts: Readonly<Record<string, string>>, find = findLeaks): void {
  const leaks = Object.entries(texts).map(([name, text]) => [name, find(text)]);
  expect(leaks).toEqual(Object.keys(texts).map((name) => [name, []]));
}

describe("secrets", () => {
  it("would be found in every form", () => {
    for (const { name, value } of all) {
      const piece = value.slice(2, -1);
      const encoded = Buffer.from(`user:${value}`).toString("base64");
      for (const text of [
        piece,
        JSON.stringify(piece),
        JSON.stringify(JSON.stringify(piece)),
        encodeURIComponent(piece),
        encoded,
      ]) {
        expect(findLeaks(`so ${text} it is`)[0]).toContain(name);
      }
      expect(findLeaks(value.slice(0, 11))).toEqual([]);
    }
  });

  it("are in no report for people or programs, in no trace and in no file, nor in what a cassette replays", async () => {
    const before = server.requests.length;
    const outputs = ["pretty=out/p.txt", "json=out/r.json", "html=out/h.html"];
    const files = outputs.flatMap((reporter) => ["--reporter", reporter]);
    const shown = ["--verbose", "--reporter", "junit", ...files, "--events", "out/e.jsonl"];
    const { stdout, stderr } = await run(["test", "--cassette", "record", ...shown], { DEBUG: "*" });
    expect(stdout).toContain("<testsuites");
    const asked = server.requests.slice(before);
    const texts = writtenFiles(cwd, ["kindlm.yaml", "broken.yaml", ".env"]);
    const names = Object.keys(texts).toSorted();
    const written = ["out/e.jsonl", "out/h.html", "out/p.txt", "out/r.json"];
    expect(names.filter((name) => name.startsWith("out/"))).toEqual(written);
    // Deflated, a secret would not be seen.
    texts["out/h.html"] += readHtmlReport(texts["out/h.html"] ?? "").text;
    for (const name of ["journal.jsonl", "run.json"]) {
      expect(names.filter((path) => path.startsWith(".kindlm/runs/") && path.endsWith(`/${name}`))).not.toEqual([]);
    }
    expect(names.filter((path) => path.startsWith(".kindlm/cassettes/s/"))).toHaveLength(2);
    for (const [name, text] of Object.entries({ stdout, stderr, ...texts })) {
      // It says one word, to Git.
      if (!name.endsWith(".gitignore")) expect(text).toContain("[redacted]");
    }
    expectNoLeaks({ stdout, stderr, ...texts });
    // The server was told the secrets by every case, and failed in every way that it has.
    expect(new Set(asked.map(({ path }) => path.split("/").slice(1, 3).join("/"))).size).toBe(2 * echoNames.length);
    for (const { path, headers } of asked) {
      expect(headers["x-team"]).toBe(canaries.TEAM);
      expect(path).toContain(canaries.SIGNATURE);
      expect([headers["authorization"], headers["x-api-key"]].join(" ")).toMatch(/Qz7"Wk|Yv3\^Nc/);
    }
    const { summary } = JSON.parse(texts["out/r.json"] ?? "") as { summary: Record<string, number> };
    const answering = variants.filter(({ echo }) => answers.has(echo)).length;
    expect(summary).toMatchObject({ total: variants.length + answering + 1, skipped: 0 });
    expect(summary["errored"]).toBeGreaterThan(variants.length - answering);
    expect(summary["passed"]).toBeGreaterThan(0);
    expect(summary["failed"]).toBeGreaterThan(0);

    const replay = ["test", "--test", only("@openai"), "--cassette", "replay", "--verbose", "--reporter", "json"];
    const replayed = await run(replay, { DEBUG: "kindlm*" });
    expect(server.requests).toHaveLength(before + asked.length);
    expect(replayed.stdout).toContain("[redacted]");
    expectNoLeaks({ stdout: replayed.stdout, stderr: replayed.stderr });
    expect(await run(["cassette", "verify"])).toMatchObject({ code: 0 });
  });

  // These run beside each other: one of them is a process.
  it.concurrent.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    [
      "events, and the log of a CI system",
      ["@openai", "--verbose", "--events", "-", "--log-format", "json"],
      { CI: "true" },
    ],
    [
      "the terminal of a CI system",
      ["@anthropic", "--verbose"],
      { CI: "true", GITHUB_ACTIONS: "true", FORCE_COLOR: "1" },
    ],
  ])("are in none of: %s", async (_name, [provider = "", ...args], env) => {
    const { stdout, stderr } = await run(["test", "--test", `fails${only(provider)}`, ...args], env);
    expect(stdout).toContain("[redacted]");
    expectNoLeaks({ stdout, stderr });
  });

  it.concurrent("are in no trace of Node's own, but for the query of an address, which undici itself writes there", async () => {
    const { stdout, stderr } = await runProcess(["test", "--test", `fails${only("@openai")}`, "--reporter", "junit"], {
      cwd,
      env: { ...Object.fromEntries(own), NODE_DEBUG: "undici,fetch,http,net,tls" },
    });
    expect(stderr).toMatch(/^(UNDICI|FETCH) \d+: sending request to POST/m);
    expectNoLeaks({ stdout, stderr }, createLeakFinder(all.filter(({ name }) => name !== "SIGNATURE")));
  });

  it.each<[string, number, readonly string[]]>([
    ["a list", 0, ["test", "--list", "--json"]],
    ["validation", 0, ["validate", "--verbose"]],
    ["what the doctor says", 1, ["doctor", "--verbose"]],
    ["what the doctor says as JSON", 1, ["doctor", "--json"]],
    ["the errors of a config", 1, ["validate", "--verbose", "broken.yaml"]],
    ["the errors of a config that is to be run", 1, ["test", "--verbose", "--log-format", "json", "broken.yaml"]],
  ])("are in none of: %s", async (_name, expected, args) => {
    const { code, stdout, stderr } = await run(args, { DEBUG: "*" });
    expect(code).toBe(expected);
    expectNoLeaks({ stdout, stderr });
  });
});
