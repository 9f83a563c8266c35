import type { ErrorCode, KindlmErrorOf } from "@kindlm/core";

function sample<C extends ErrorCode>(
  code: C,
  message: string,
  details?: NonNullable<KindlmErrorOf<C>["details"]>,
): KindlmErrorOf<C> {
  return details === undefined ? { code, message } : { code, message, details };
}

/** One error of each code, as it happens to people. */
export const sampleErrors = {
  CONFIG_NOT_FOUND: sample("CONFIG_NOT_FOUND", "No kindlm.yaml in this folder or above", { path: "kindlm.yaml" }),
  CONFIG_PARSE_ERROR: sample("CONFIG_PARSE_ERROR", "Not valid YAML", {
    diagnostics: [
      {
        code: "CONFIG_PARSE_ERROR",
        severity: "error",
        message: "Map keys must be unique",
        position: { file: "kindlm.yaml", line: 3, column: 1, length: 7 },
        frame: [
          { line: 2, text: "project: shop" },
          { line: 3, text: "project: shop" },
        ],
      },
    ],
  }),
  CONFIG_VALIDATION_ERROR: sample("CONFIG_VALIDATION_ERROR", "The config is not valid", {
    diagnostics: [
      {
        code: "CONFIG_VALIDATION_ERROR",
        severity: "error",
        message: 'Unknown assertion type "tool_caled"',
        hint: 'Did you mean "tool_called"? See: https://kindlm.com/docs/assertions',
        position: { file: "kindlm.yaml", line: 23, column: 19, length: 10 },
        frame: [
          { line: 22, text: "        assert:" },
          { line: 23, text: "          - type: tool_caled" },
        ],
      },
    ],
  }),
  CONFIG_FILE_REF_ERROR: sample("CONFIG_FILE_REF_ERROR", 'system_prompt_file "prompts/missing.txt" not found', {
    path: "prompts/missing.txt",
    referencedIn: 'suite "order-agent"',
  }),
  PROVIDER_NOT_FOUND: sample("PROVIDER_NOT_FOUND", 'Unknown provider "opnai"', {
    provider: "opnai",
    known: ["openai", "anthropic", "scripted"],
  }),
  PROVIDER_AUTH_ERROR: sample("PROVIDER_AUTH_ERROR", "OpenAI API key is invalid or missing", {
    provider: "OpenAI",
    apiKeyEnv: "OPENAI_API_KEY",
    status: 401,
  }),
  PROVIDER_RATE_LIMIT: sample("PROVIDER_RATE_LIMIT", "OpenAI rate limit hit", {
    provider: "OpenAI",
    status: 429,
    retryAfterMs: 30_000,
  }),
  PROVIDER_TIMEOUT: sample("PROVIDER_TIMEOUT", "OpenAI request timed out after 60 s", { provider: "OpenAI" }),
  PROVIDER_API_ERROR: sample("PROVIDER_API_ERROR", "OpenAI returned 404: The model gpt-5x does not exist", {
    provider: "OpenAI",
    status: 404,
  }),
  PROVIDER_NETWORK_ERROR: sample("PROVIDER_NETWORK_ERROR", "Failed to connect to OpenAI: connection refused", {
    provider: "OpenAI",
    systemCode: "ECONNREFUSED",
  }),
  PROVIDER_CIRCUIT_OPEN: sample(
    "PROVIDER_CIRCUIT_OPEN",
    "The circuit breaker of OpenAI opened after 5 failed calls in a row",
    {
      provider: "OpenAI",
    },
  ),
  PROVIDER_CASSETTE_MISS: sample(
    "PROVIDER_CASSETTE_MISS",
    'No recording of this request to openai (gpt-4.1): the nearest, turn 1 of trial 1, differs at body.messages[0].content: recorded "You help.", now "You assist."',
    { sent: false, differsAt: "body.messages[0].content" },
  ),
  GATEWAY_REFUSED: sample(
    "GATEWAY_REFUSED",
    "The gateway cannot pass on what the agent asks its model: conversation (KindLM cannot translate it)",
    {
      api: "POST /v1/responses",
      refused: [{ path: "conversation", kind: "refused", reason: "KindLM cannot translate it" }],
    },
  ),
  ASSERTION_EVAL_ERROR: sample("ASSERTION_EVAL_ERROR", "The module checks/tone.js threw: x is not a function", {
    type: "module",
  }),
  SCHEMA_FILE_ERROR: sample("SCHEMA_FILE_ERROR", "Schema file not found: schemas/order.json", {
    path: "schemas/order.json",
    referencedIn: 'suite "order-agent", test "happy-path"',
  }),
  JUDGE_EVAL_ERROR: sample("JUDGE_EVAL_ERROR", "The judge claude gave no score in 3 attempts", { judge: "claude" }),
  SIMULATED_USER_ERROR: sample(
    "SIMULATED_USER_ERROR",
    "The simulated user (user-model) wrote nothing that could be sent, in 3 tries: it is empty",
    { role: "simulated_user", model: "user-model", tries: 3 },
  ),
  ENGINE_MAX_TURNS: sample("ENGINE_MAX_TURNS", "The agent was still calling tools after 10 turns", { maxTurns: 10 }),
  ENGINE_EMPTY_RESPONSE: sample("ENGINE_EMPTY_RESPONSE", "The model answered with neither text nor tool calls"),
  ENGINE_TIMEOUT: sample("ENGINE_TIMEOUT", "The trial took longer than 5 min", { scope: "trial", ms: 300_000 }),
  ENGINE_BUDGET_EXCEEDED: sample("ENGINE_BUDGET_EXCEEDED", "The run would cost more than $5.00", {
    limit: "max_cost",
    value: 5,
  }),
  ENGINE_ABORTED: sample("ENGINE_ABORTED", "The run was interrupted", { signal: "SIGINT" }),
  ENGINE_FIXTURE_ERROR: sample("ENGINE_FIXTURE_ERROR", "Every assertion was skipped by its when"),
  TARGET_ERROR: sample("TARGET_ERROR", "The command node agent.js wrote no JSON", { kind: "malformed_message" }),
  BASELINE_NOT_FOUND: sample("BASELINE_NOT_FOUND", "No baseline was saved", { suite: "refund-agent" }),
  BASELINE_CORRUPT: sample("BASELINE_CORRUPT", 'The baseline of suite "refund-agent" is damaged', {
    suite: "refund-agent",
    path: ".kindlm/baselines/refund-agent.json",
  }),
  BASELINE_VERSION_MISMATCH: sample("BASELINE_VERSION_MISMATCH", "The baseline has version 9, this is version 1", {
    suite: "refund-agent",
    found: 9,
    supported: 1,
  }),
  CLOUD_AUTH_ERROR: sample("CLOUD_AUTH_ERROR", "Not logged in to https://kindlm.example.com", {
    hint: "Run: kindlm login --server https://kindlm.example.com",
  }),
  CLOUD_UPLOAD_ERROR: sample("CLOUD_UPLOAD_ERROR", 'Project "support" not found', {
    hint: "Check upload.project in the config, and that your account has access to it",
  }),
  CLOUD_PLAN_LIMIT: sample("CLOUD_PLAN_LIMIT", "This feature requires a Team or Enterprise plan. Current plan: free", {
    upgradeUrl: "https://cloud.kindlm.com/settings/billing",
  }),
  CLOUD_RATE_LIMIT: sample("CLOUD_RATE_LIMIT", "The results server is busy.", { retryAfterMs: 60_000 }),
  STORE_WRITE_ERROR: sample("STORE_WRITE_ERROR", "Cannot write out/report.json: no space left on device", {
    path: "out/report.json",
    systemCode: "ENOSPC",
  }),
  STORE_CORRUPT: sample("STORE_CORRUPT", ".kindlm/runs/20260215-103000000-a1b2c3/journal.jsonl is damaged at line 7", {
    path: ".kindlm/runs/20260215-103000000-a1b2c3/journal.jsonl",
  }),
  STORE_LOCKED: sample("STORE_LOCKED", "Process 4711 on build-7 is working on this run", {
    path: ".kindlm/runs/20260215-103000000-a1b2c3/lock",
  }),
  RUN_NOT_FOUND: sample("RUN_NOT_FOUND", "The run 20260215-103000000-a1b2c3 did not finish", {
    run: "20260215-103000000-a1b2c3",
    isUnfinished: true,
  }),
  BASELINE_REFUSED: sample(
    "BASELINE_REFUSED",
    "2 cases of run 20260101-120000-ab12 errored: orders/refund@gpt and others",
    {
      hint: "Save the others: kindlm baseline set --allow-errored",
    },
  ),
  MERGE_REFUSED: sample("MERGE_REFUSED", "Shard 3 of 4 is missing", {
    hint: "Name its run folder too, or run kindlm test --shard 3/4",
  }),
  TRANSCRIPT_INVALID: sample("TRANSCRIPT_INVALID", "Nothing to score in transcripts.jsonl", {
    path: "transcripts.jsonl",
    diagnostics: [],
  }),
  UNKNOWN_ERROR: sample("UNKNOWN_ERROR", "Cannot read properties of null"),
} satisfies { [C in ErrorCode]: KindlmErrorOf<C> };
