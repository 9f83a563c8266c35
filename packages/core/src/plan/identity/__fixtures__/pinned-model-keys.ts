import { assertions, type Changes } from "./identity-project.js";
import { at, scoring, setup, type Row } from "./pinned-row.js";

const ofModel = (changes: Changes): Changes => at("models.0", changes);
const ofProvider = (changes: Changes): Changes => at("providers.live", changes);

const calls = {
  retry: "aggressive",
  circuit_breaker: false,
  requests_per_minute: 60,
  tokens_per_minute: 60,
  stream: true,
};
const callRows = (put: (changes: Changes) => Changes): readonly Row[] => [
  ...Object.entries(calls).map(([key, value]): Row => [key, put({ [key]: value }), "none"]),
  ["fallback", put({ fallback: ["other"] }), "none"],
  ["allow_fallback", put({ fallback: ["other"], allow_fallback: true }), "agent"],
];
const azure = (model: Changes, provider: Changes = {}): Changes => ({
  ...ofModel({ provider: "azure", ...model }),
  ...at("providers.azure", provider),
});

export const models: readonly Row[] = [
  ["id", { "models.0.id": "n", "defaults.models": ["n"] }, "none"],
  ["provider", ofModel({ provider: "again" }), "none"],
  ["provider", ofModel({ provider: "azure" }), "agent"],
  ["params", ofModel({ params: { temperature: 0 } }), "agent"],
  ...callRows(ofModel),
  ["timeouts", ofModel({ timeouts: { connect: "9s", headers: "9s", idle: "9s", request: "9s" } }), "none"],
  ["pricing", ofModel({ pricing: { input: 1, output: 2 } }), "agent"],
  ["model", ofModel({ model: "gpt-2" }), "agent"],
  ["api", ofModel({ api: "responses" }), "agent"],
  ["deployment", azure({ deployment: "d" }), "agent"],
  ["script", { "defaults.models": ["scripted"] }, "agent"],
];

export const providers: readonly Row[] = [
  ["type", ofProvider({ type: "mistral" }), "agent"],
  ["base_url", ofProvider({ base_url: "http://127.0.0.1:10/v1" }), "agent"],
  ["base_url", ofProvider({ base_url: "http://127.0.0.1:9/v1" }), "none"],
  ["api_key_env", ofProvider({ api_key_env: "KEY_B" }), "none"],
  ["headers", ofProvider({ headers: { authorization: "Bearer ${TOKEN}", "x-beta": "two" } }), "agent"],
  ["api", ofProvider({ api: "responses" }), "agent"],
  ["organization", ofProvider({ organization: "o" }), "agent"],
  ["project", ofProvider({ project: "p" }), "agent"],
  ...callRows(ofProvider),
];

/** Keys of providers that the one of the base config does not have. */
export const otherProviders: readonly (readonly [key: string, one: Changes, other: Changes, changed: string])[] = [
  ["deployment", azure({}), azure({}, { deployment: "d" }), "agent"],
  ["resource", azure({}), azure({}, { resource: "q" }), "agent"],
  ["api_version", azure({}), azure({}, { api_version: "2024-10-21" }), "agent"],
  [
    "region",
    ofModel({ provider: "bedrock" }),
    { ...ofModel({ provider: "bedrock" }), "providers.bedrock.region": "us-east-1" },
    "agent",
  ],
  [
    "profile",
    ofModel({ provider: "bedrock" }),
    { ...ofModel({ provider: "bedrock" }), "providers.bedrock.profile": "p" },
    "none",
  ],
];

export const params: readonly Row[] = Object.entries({
  temperature: 0,
  top_p: 0.5,
  max_tokens: 10,
  seed: 3,
  stop: ["x"],
  frequency_penalty: 1,
  presence_penalty: 1,
  reasoning_effort: "low",
  tool_choice: "none",
  parallel_tool_calls: false,
  response_format: "json",
  extra_body: { top_k: 1 },
}).map(([key, value]) => [key, ofModel({ params: { [key]: value } }), "agent"]);

export const top: readonly Row[] = [
  ["$schema", { $schema: "x" }, "none"],
  ["version", { version: 1 }, "none"],
  ["project", { project: "p" }, "none"],
  ["cassette", { cassette: "auto" }, "none"],
  ["providers", { "providers.more": { type: "openai" } }, "none"],
  ["models", { "models.3": { id: "z", provider: "live", model: "z" } }, "none"],
  ["defaults", { "defaults.models": ["other"] }, "agent"],
  ["defaults", { "defaults.runs": 5, "defaults.concurrency": 3, "defaults.seed": 4 }, "none"],
  ["defaults", { "defaults.pass": 1 }, "check"],
  ["defaults", { "defaults.assert": [{ type: "contains", value: "x" }] }, scoring],
  ["vars", { vars: { city: "Lisbon" } }, setup],
  ...callRows((changes) => changes),
  ["timeouts", { timeouts: { tool: "9s" } }, setup],
  [
    "timeouts",
    { timeouts: { run: "9m", trial: "9s", request: "8s", connect: "7s", headers: "7s", idle: "7s" } },
    "none",
  ],
  ["limits", { limits: { max_turns: 3 } }, setup],
  ["limits", { limits: { max_cost: 3 } }, "none"],
  ["gates", { gates: { errored: 0 } }, "none"],
  ["tools", { tools: [{ name: "shared", default: { return: 1 } }] }, "none"],
  ["agents", { agents: [{ id: "a", system: "Find facts" }] }, "none"],
  // It counts with the suites whose agents have the tool.
  ["skills", { skills: ".skills" }, "none"],
  ["plugins", { plugins: ["./tools.mjs"] }, "none"],
  ["extensions", { extensions: ["./extension.mjs"] }, "none"],
  ["exit_on", { exit_on: "gates" }, "none"],
  ["baseline", { baseline: { margin: 0.1 } }, "none"],
  ["keep_runs", { keep_runs: 5 }, "none"],
  ["watch", { watch: ["src/**"] }, "none"],
  ["cassette", { cassette: "auto" }, "none"],
  ["allow_outside", { allow_outside: true }, "none"],
  ["upload", { upload: { include: ["messages"] } }, "none"],
  ["suites", { "suites.1": { name: "z", tests: [{ name: "t", input: "x", assert: assertions.slice(1) }] } }, "none"],
];
