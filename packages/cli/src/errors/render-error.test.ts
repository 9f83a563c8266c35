import { errorTable, isErrorCode, kindlmError, type ErrorCode } from "@kindlm/core";
import { describe, expect, it } from "vitest";
import { sampleErrors } from "../commands/explain/sample-errors.js";
import { renderDiagnostics, renderError, type ErrorView } from "./render-error.js";

const view: ErrorView = { color: false, verbose: false };
const codes = Object.keys(errorTable).filter(isErrorCode);

describe("renderError", () => {
  it.each<[ErrorCode, string]>([
    [
      "CONFIG_VALIDATION_ERROR",
      [
        '✗ Config error: Unknown assertion type "tool_caled" at line 23',
        '  Did you mean "tool_called"? See: https://kindlm.com/docs/assertions',
        "  kindlm.yaml:23:19",
        "  22 |         assert:",
        "  23 |           - type: tool_caled",
        "     |                   ^^^^^^^^^^",
        "",
      ].join("\n"),
    ],
    [
      "PROVIDER_AUTH_ERROR",
      "✗ OpenAI API key is invalid or missing\n  Set OPENAI_API_KEY in your environment or .env file\n",
    ],
    [
      "PROVIDER_RATE_LIMIT",
      "✗ OpenAI rate limit hit. Retry after 30 seconds.\n  Reduce concurrency with --concurrency 1 or add retry config\n",
    ],
    [
      "SCHEMA_FILE_ERROR",
      '✗ Schema file not found: schemas/order.json\n  Referenced in suite "order-agent", test "happy-path"\n',
    ],
    ["BASELINE_NOT_FOUND", '✗ Baseline not found for suite "refund-agent"\n  Run: kindlm baseline set\n'],
  ])("prints the specification's example of %s word for word", (code, expected) => {
    expect(renderError(sampleErrors[code], view)).toBe(expected);
  });

  it("says why a rate limit was not waited for", () => {
    const reason = "the server asks to wait 2 min, more than the 1 min that max_retry_after allows";
    const error = kindlmError("PROVIDER_RATE_LIMIT", "long", {
      details: { provider: "OpenAI", retryAfterMs: 120_000, notRetried: reason },
    });
    expect(renderError(error, view)).toBe(
      `✗ OpenAI rate limit hit. Retry after 120 seconds.\n  Not retried: ${reason}\n`,
    );
  });

  it.each([
    [{ apiKeyEnv: "OPENAI_API_KEY" }, "Set OPENAI_API_KEY in your environment or .env file"],
    [{}, "Set api_key_env in the provider's settings to the variable that contains the key"],
  ])("reports how to fix a refused key: %j", (named, fix) => {
    const details = { provider: "local", ...named };
    const refused = kindlmError("PROVIDER_AUTH_ERROR", "no", { details: { ...details, status: 401 } });
    expect(renderError(refused, view)).toBe(`✗ local API key is invalid or missing\n  ${fix}\n`);
    const notAsked = kindlmError("PROVIDER_CIRCUIT_OPEN", "not asked", { details: { ...details, keyRefused: true } });
    expect(renderError(notAsked, view)).toBe(`✗ not asked\n  ${fix}\n`);
  });

  it.each(codes)("says in two lines what is wrong and what to do: %s", (code) => {
    const [title, fix] = renderError(sampleErrors[code], view).split("\n");
    expect(title).toMatch(/^✗ \S.*\S$/);
    expect(fix).toMatch(/^ {2}\S/);
  });

  it.each(codes)("has words for %s when nothing but the code is known", (code) => {
    const { details: _, ...bare } = sampleErrors[code];
    expect(renderError(bare, view)).toMatch(/^✗ \S/);
    expect(renderError(bare, view)).not.toContain("undefined");
  });

  it.each([
    ["not_found", "Check the target: its program, the address of the service, or the export of the module"],
    ["unexpected", "Run the agent by hand. --verbose shows its output"],
  ] as const)("distinguishes an agent that is not there (%s) from one that went wrong", (kind, fix) => {
    const error = kindlmError("TARGET_ERROR", "no answer", { details: { kind } });
    expect(renderError(error, view)).toBe(`✗ no answer\n  ${fix}\n`);
  });

  it("prints every problem that the error carries, and no warning among them", () => {
    const problem = (message: string, severity: "error" | "warning") =>
      ({ code: "CONFIG_VALIDATION_ERROR", severity, message }) as const;
    const error = kindlmError("CONFIG_VALIDATION_ERROR", "2 problems", {
      details: {
        diagnostics: [
          problem("one", "error"),
          problem("two", "warning"),
          problem("two", "warning"),
          problem("three", "error"),
        ],
      },
    });
    expect(renderError(error, view)).toBe("✗ Config error: one\n\n✗ Config error: three\n");
  });

  it("puts each line of what to do on a line of its own", () => {
    const error = kindlmError("PROVIDER_RATE_LIMIT", "429", {
      details: { provider: "OpenAI", fallbacks: [{ model: "claude", code: "PROVIDER_TIMEOUT", message: "too late" }] },
    });
    expect(renderError(error, view)).toBe(
      "✗ OpenAI rate limit hit.\n  Reduce concurrency with --concurrency 1 or add retry config\n  Fallback claude: too late\n",
    );
  });

  it("keeps tabs, so that the marks stand below what they mark", () => {
    const diagnostic = {
      code: "CONFIG_PARSE_ERROR",
      severity: "error",
      message: "Tabs",
      position: { file: "a.yaml", line: 1, column: 2, length: 99 },
      frame: [{ line: 1, text: "\tkey" }],
    } as const;
    const error = kindlmError("CONFIG_PARSE_ERROR", "Tabs", { details: { diagnostics: [diagnostic] } });
    expect(renderError(error, view)).toContain("  1 | \tkey\n    | \t^^^\n");
  });

  it("adds code, provider's answer, attempts and stack when verbose", () => {
    const error = kindlmError("PROVIDER_API_ERROR", "OpenAI returned 500", {
      details: { provider: "OpenAI", status: 500, body: "line 1\nkey", requestId: "req_1", attempts: 3 },
      cause: new Error("inner", { cause: new Error("innermost") }),
    });
    const text = renderError(error, { ...view, verbose: true });
    expect(text).toContain("PROVIDER_API_ERROR (204, llm_api)");
    expect(text).toContain("  HTTP status: 500\n  request id: req_1\n  attempts: 3\n");
    expect(text).toContain("  body:\n    line 1\n    key\n");
    expect(text).toMatch(/Error: inner[\s\S]*caused by Error: innermost/);
    expect(renderError(error, view)).not.toContain("line 1");
  });

  it("is bold and red on a terminal, and shows control characters of others as text", () => {
    const error = kindlmError("TARGET_ERROR", "said \u001b[2J");
    const text = renderError(error, { ...view, color: true });
    expect(text).toContain("\u001b[1m\u001b[31m✗ said ␛[2J\u001b[39m\u001b[22m");
  });
});

describe("a thousand equal mistakes", () => {
  const mistake = (index: number) =>
    ({
      code: "CONFIG_VALIDATION_ERROR",
      severity: "error",
      message: 'Unknown key "tagz"',
      position: { file: "a.yaml", line: 9 * index + 9, column: 9, length: 4 },
    }) as const;
  const diagnostics = Array.from({ length: 1_000 }, (_, index) => mistake(index));
  const error = kindlmError("CONFIG_VALIDATION_ERROR", "1000 problems", { details: { diagnostics } });
  const told = [
    '✗ Config error: Unknown key "tagz" at line 9',
    "  a.yaml:9:9",
    "  and at 999 more places: lines 18, 27, 36, 45, 54, …",
  ];
  const tally = ["✗ 1,000 errors in a.yaml, 1 kind", "  Show all with --all", ""];

  it("are told once, with how to see every one", () => {
    const digest = { showAll: "--all" };
    expect(renderError(error, { ...view, digest })).toBe([...told, "", ...tally].join("\n"));
    expect(renderDiagnostics(diagnostics, { ...view, digest })).toBe([...told, ...tally].join("\n"));
  });

  it("are told one by one on request", () => {
    const text = renderError(error, { ...view, digest: { all: true, showAll: "--all" } });
    expect(text.match(/^✗ Config error/gm)).toHaveLength(1_000);
    expect(text.endsWith("\n✗ 1,000 errors in a.yaml, 1 kind\n")).toBe(true);
  });
});

describe("renderDiagnostics", () => {
  it("marks errors and warnings as what they are", () => {
    const position = { file: "a.yaml", line: 3, column: 1, length: 1 };
    const pointless = { code: "CONFIG_VALIDATION_ERROR", message: "Pointless gate", position } as const;
    const both = [{ ...pointless, severity: "warning" } as const, { ...pointless, severity: "error" } as const];
    expect(renderDiagnostics(both, view)).toBe(
      "⚠ Pointless gate\n  a.yaml:3:1\n✗ Config error: Pointless gate at line 3\n  a.yaml:3:1\n",
    );
  });
});
