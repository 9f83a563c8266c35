import { beforeAll, describe, expect, it } from "vitest";
import {
  differences,
  hashesOf,
  identitiesAfter,
  identifyTogether,
  identityAfter,
  plannedAfter,
  type Changes,
  type Surroundings,
} from "./__fixtures__/identity-project.js";

const test = "suites.0.tests.0";

const user = { goal: "g", model: "other" };
const otherUsers = [
  { goal: "h" },
  { model: "scripted" },
  { persona: "p" },
  { knows: ["k"] },
  { max_turns: 3 },
  { stop: { output: "bye" } },
];

const retry = { assert: [{ type: "contains", value: "x" }] };
const otherRetries = [
  { assert: [{ type: "contains", value: "y" }] },
  { stop_when: [{ type: "contains", value: "y" }] },
  { description: "d" },
  { max_tries: 7 },
  { feedback: "f" },
  { strict: false },
];

const program = { command: ["node", "agent.mjs"], proxy: true };
const otherPrograms = [
  { command: ["node", "agent.mjs", "-v"] },
  { command: "node agent.mjs", shell: true },
  { protocol: "json_lines" },
  { cwd: "parts" },
  { env: { LEVEL: "1" } },
  { proxy: false },
  { proxy: { run_tools: true } },
];

const service = { url: "http://127.0.0.1:9/agent" };
const otherServices = [
  { url: "http://127.0.0.1:9/chat" },
  { method: "GET" },
  { headers: { accept: "text/plain" } },
  { body: "{{input}}" },
  { response: { text: "reply" } },
];

const fault = { tool: "lookup", kind: "hang" };
const otherFaults = [{ tool: "start" }, { kind: "truncate" }, { call: 2 }, { times: 2 }, { rate: 0.5 }];

/** The test with its key of this value. */
const withKey = (key: string, value: unknown): Changes => ({ [`${test}.${key}`]: value });

beforeAll(() =>
  identifyTogether([
    ...[{}, ...otherUsers].map((own) => withKey("simulated_user", { ...user, ...own })),
    ...[{}, ...otherRetries].map((own) => withKey("retry_until", { ...retry, ...own })),
    ...[{}, ...otherPrograms, { id: "mine" }].map((own) => withKey("target", { ...program, ...own })),
    ...[{}, ...otherServices].map((own) => withKey("target", { ...service, ...own })),
    ...[{}, ...otherFaults, { id: "f" }].map((own) => withKey("faults", [{ ...fault, ...own }])),
  ]),
);

async function changedBy(changes: Changes, after: Changes, surroundings?: Surroundings): Promise<string> {
  return differences(await identityAfter(changes), await identityAfter({ ...changes, ...after }, surroundings));
}

describe("identify", () => {
  it("gives the hashes that were stored by earlier versions", async () => {
    expect(await identityAfter({})).toEqual({
      agentHash: "c510598804641931",
      setupHash: "3c349bf01b20e0b6",
      scoringHash: "35af6eeb7099381e",
      checkHash: "30a94da1265f7b91",
    });
  });

  it("does not know a rotated key, but the server that is asked", async () => {
    const rotated = { env: { TOKEN: "second-token", KEY_A: "second-key" } };
    expect(await changedBy({}, {}, rotated)).toBe("none");
    expect(
      await changedBy({ [`${test}.target`]: { url: "http://127.0.0.1:9/?k=${TOKEN}", body: "${TOKEN}" } }, {}, rotated),
    ).toBe("none");
    expect(await changedBy({}, {}, { env: { HOST: "localhost" } })).toBe("agent");
  });

  it.each([
    ["tool.mjs", "setup check"],
    ["tools.mjs", "agent setup check"],
    ["lib.ts", "agent setup check"],
    ["server.mjs", "agent setup check"],
    ["agent.mjs", "agent"],
    ["parts/index.js", "agent"],
    ["check.mjs", "scoring check"],
    ["check.sh", "scoring check"],
    [".skills/a/references/b.md", "setup check"],
    ["prompt.md", "none"],
  ])("notices what stands in %s", async (file, changed) => {
    const target = { [`${test}.target`]: { module: "./agent.mjs#run", proxy: true }, [`${test}.skills`]: ".skills" };
    expect(await changedBy(target, {}, { files: { [file]: "// Changed" } })).toBe(changed);
  });

  it.each([
    [
      "script.yaml",
      { "defaults.models": ["scripted"] },
      "rules: [{ when: { user: { $contains: ho } }, reply: { text: hello } }]\notherwise: { text: bye }",
      "agent",
    ],
    [
      "other.yaml",
      { "models.2.script": "other.yaml", "defaults.models": ["scripted"] },
      "otherwise: { text: bye }",
      "agent",
    ],
    [
      "prompt.md",
      { "suites.0.system_prompt": undefined, "suites.0.system_prompt_file": "prompt.md" },
      "Be brief",
      "agent",
    ],
    ["answer.json", {}, '{"type":"string"}', "scoring check"],
    ["rows.csv", {}, "id,order\na,2\n", "setup check"],
    [
      "check.mjs",
      { [`${test}.retry_until`]: { assert: [{ type: "module", module: "./check.mjs" }] } },
      "// Changed",
      "setup scoring check",
    ],
    [
      "a.json",
      { [`${test}.assert`]: [{ type: "schema", schema_file: "{{row.id}}.json" }] },
      '{"type":"string"}',
      "scoring check",
    ],
  ])("notices what stands in %s when the config is %j", async (file, changes, text, changed) => {
    const before = { files: { "a.json": "{}", "other.yaml": "otherwise: { text: x }" } };
    const one = await identityAfter(changes, before);
    expect(differences(one, await identityAfter(changes, { files: { ...before.files, [file]: text } }))).toBe(changed);
  });

  it("looks at the name of a script only through what stands in it", async () => {
    const files = { "copy.yaml": "otherwise: { text: bye }", "first.yaml": "otherwise: { text: bye }" };
    const of = (script: string) =>
      identityAfter({ "models.2.script": script, "defaults.models": ["scripted"] }, { files });
    expect(differences(await of("first.yaml"), await of("copy.yaml"))).toBe("none");
  });

  it("is the same whatever the command line says", async () => {
    const options = { retry: "aggressive", concurrency: 3, seed: 9, runs: 4, bail: 1, trialTimeoutMs: 5 } as const;
    expect(await changedBy({}, {}, { options })).toBe("none");
  });

  it("takes nothing from the case before but what is the same in both", async () => {
    const { cases, identify } = await plannedAfter({ "defaults.models": ["m", "other"] });
    const [first, second] = cases;
    if (first === undefined || second === undefined || second.model === null) throw new Error("There are no two cases");
    const { model, params, timeouts } = second;
    const other = { model, params, timeouts };
    for (const [changes, changed] of [
      [{ params: { temperature: 1 } }, "agent"],
      [{ model }, "agent"],
      [{ fallbacks: [other] }, "agent"],
      [{ limits: { ...first.limits, maxTurns: 1 } }, "setup check"],
      [{ timeouts: { ...timeouts, toolMs: 1 } }, "setup check"],
      [{ simulator: [other] as const }, "setup check"],
    ] as const) {
      const before = hashesOf(identify(first));
      expect(differences(before, hashesOf(identify({ ...first, ...changes })))).toBe(changed);
    }
  });

  it("distinguishes rows, prompts and faults of a test", async () => {
    const changes = {
      [`${test}.dataset`]: undefined,
      [`${test}.rows`]: [
        { id: "a", order: "1" },
        { id: "b", order: "2" },
      ],
      [`${test}.faults`]: {
        expand: true,
        list: [
          { tool: "lookup", kind: "hang" },
          { tool: "lookup", kind: "truncate" },
        ],
      },
      "suites.0.system_prompt": undefined,
      "suites.0.prompts": [
        { id: "p", system_prompt: "Be kind" },
        { id: "q", system_prompt: "Be brief" },
      ],
      "defaults.models": ["m", "other"],
    };
    const all = await identitiesAfter(changes);
    expect(all).toHaveLength(2 * 2 * 2 * 3);
    expect(new Set(all.map((identity) => identity.agentHash)).size).toBe(2 * 2);
    expect(new Set(all.map((identity) => identity.setupHash)).size).toBe(2 * 3);
    expect(new Set(all.map((identity) => identity.scoringHash)).size).toBe(1);
    expect(new Set(all.map((identity) => identity.checkHash)).size).toBe(2 * 3);
    // The first is the same as alone.
    expect(differences(all[0] ?? (await identityAfter({})), await identityAfter({}))).toBe("none");
  });

  it.each(otherUsers)("knows the simulated user, now with %j", async (own) => {
    const changed = await changedBy(withKey("simulated_user", user), withKey("simulated_user", { ...user, ...own }));
    expect(changed).toBe("setup check");
  });

  it("knows what calls the simulated user's model and what may stand in for it", async () => {
    const played = withKey("simulated_user", user);
    expect(await changedBy(played, { "models.1.params": { temperature: 0 } })).toBe("setup check");
    expect(await changedBy(played, { "models.1.fallback": ["m"] })).toBe("setup check");
    expect(await changedBy(played, { "models.1.retry": "disabled" })).toBe("none");
  });

  it.each(otherRetries)("knows how an answer is approved, now with %j", async (own) => {
    const changed = await changedBy(withKey("retry_until", retry), withKey("retry_until", { ...retry, ...own }));
    expect(changed).toBe("setup check");
  });

  it.each(otherPrograms)("knows the program under test, now with %j", async (own) => {
    const target = withKey("target", program);
    expect(await changedBy(target, withKey("target", { ...program, ...own }))).toBe("agent");
    expect(await changedBy(target, withKey("target", { ...program, id: "mine" }))).toBe("none");
  });

  it.each(otherServices)("knows the service under test, now with %j", async (own) => {
    expect(await changedBy(withKey("target", service), withKey("target", { ...service, ...own }))).toBe("agent");
  });

  it("knows what the function under test is handed", async () => {
    const at = `${test}.target`;
    const target = { module: "./agent.mjs#run" };
    expect(await changedBy({ [at]: target }, { [at]: { ...target, with: { a: 1 } } })).toBe("agent");
    expect(await changedBy({ [at]: target }, { [at]: { module: "./agent.mjs#walk" } })).toBe("agent");
  });

  it.each(otherFaults)("knows a fault, now with %j", async (own) => {
    const faults = withKey("faults", [fault]);
    expect(await changedBy(faults, withKey("faults", [{ ...fault, ...own }]))).toBe("setup check");
    expect(await changedBy(faults, withKey("faults", [{ ...fault, id: "f" }]))).toBe("none");
  });

  it("knows the assertions of a user turn", async () => {
    const turn = { user: "Where is {{order}}?", assert: [{ type: "contains", value: "x" }] };
    const changes = { [`${test}.input`]: undefined, [`${test}.conversation`]: [turn, { user: "And?" }] };
    const moved = { [`${test}.conversation`]: [{ user: turn.user }, { user: "And?", assert: turn.assert }] };
    expect(await changedBy(changes, moved)).toBe("scoring check");
  });

  it("gives short parameters the identity of the JSON Schema that they mean", async () => {
    const tool = (parameters: unknown) => ({ "suites.0.tools": [{ name: "pay", parameters, default: { return: 1 } }] });
    const short = { order_id: "string", amount: { type: "number", minimum: 0 }, tags: "string[]?" };
    const long = {
      type: "object",
      properties: {
        order_id: { type: "string" },
        amount: { type: "number", minimum: 0 },
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["order_id", "amount"],
      additionalProperties: false,
    };
    expect(differences(await identityAfter(tool(short)), await identityAfter(tool(long)))).toBe("none");
    expect(differences(await identityAfter(tool(short)), await identityAfter(tool({ order_id: "string" })))).not.toBe(
      "none",
    );
  });

  it("gives a shared tool the identity of one that the suite has itself", async () => {
    const tool = { name: "pay", parameters: { order_id: "string" }, default: { return: 1 } };
    const shared = { tools: [tool], "suites.0.tools": ["pay"] };
    expect(differences(await identityAfter(shared), await identityAfter({ "suites.0.tools": [tool] }))).toBe("none");
  });
});
