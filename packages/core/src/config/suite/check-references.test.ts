import { describe, expect, it } from "vitest";
import { loadedProject, loadProject, renderAll, renderDiagnostic } from "../../../../../test/support/config-project.js";

const configOf = (test: string): string => `version: 1
models: [{ id: m, provider: openai, model: gpt-4.1-mini }]
suites:
  - name: s
    tools: [{ name: read_file }, { name: cancel_order }]
    tests:
      - name: t
        ${test.replaceAll("\n", "\n        ")}
`;

const conversation = (first: string, whole = "{ type: contains, value: hi }"): string =>
  configOf(`conversation:
  - { user: Cancel, assert: [${first}] }
  - { user: "Yes" }
assert: [${whole}]`);

async function problemsOf(config: string): Promise<readonly string[]> {
  const loaded = await loadProject({ "kindlm.yaml": config });
  return loaded.success ? [] : renderAll(loaded.error);
}

describe("an assertion on recovery", () => {
  it.each(["recovers_from", "fixes_arguments"])("%s needs a tool that exists", async (type) => {
    expect(await problemsOf(configOf(`input: hi\nassert: [{ type: ${type}, tool: read_fil }]`))).toEqual([
      `invalid kindlm.yaml:9:${26 + type.length + 8} No tool of the test is named "read_fil" | Did you mean "read_file"?`,
    ]);
  });

  it.each([
    ["no_blind_retry", "tool"],
    ["no_tool_errors", "tool"],
    ["no_redundant_calls", "unless_after"],
    ["asks_before", "tool"],
  ])("%s warns of one that does not", async (type, key) => {
    const config = await loadedProject({
      "kindlm.yaml": configOf(`input: hi\nassert: [{ type: ${type}, ${key}: [read_*, canel_order] }]`),
    });
    expect(config.warnings.map(renderDiagnostic)).toEqual([
      expect.stringMatching(
        /^warning kindlm\.yaml:9:\d+ No tool of the test is named "canel_order", so it is never called \| Did you mean "cancel_order"\?$/,
      ),
    ]);
  });
});

describe("an assertion that reads the whole conversation", () => {
  const refusal = (place: string) =>
    `invalid kindlm.yaml:${place} "asks_before" reads the whole conversation, so it can not look at one user turn alone | Put it under assert: of the test, without user_turn`;

  it("may stand on the test", async () => {
    const whole = "{ any_of: [{ type: asks_before, tool: cancel_order }] }";
    expect(await problemsOf(conversation("{ type: contains, value: hi, user_turn: 1 }", whole))).toEqual([]);
  });

  it.each<[why: string, config: string, place: string]>([
    ["under a turn", conversation("{ type: asks_before, tool: cancel_order }"), "9:46"],
    ["in a group under a turn", conversation("{ all_of: [{ type: asks_before, tool: cancel_order }] }"), "9:57"],
    [
      "with a turn of its own",
      conversation("{ type: contains, value: hi }", "{ type: asks_before, tool: cancel_order, user_turn: 2 }"),
      "11:26",
    ],
    [
      "in a group with a turn",
      conversation(
        "{ type: contains, value: hi }",
        "{ user_turn: 2, at_least: 1, of: [{ type: asks_before, tool: cancel_order }] }",
      ),
      "11:60",
    ],
  ])("is refused %s", async (_, config, place) => {
    expect(await problemsOf(config)).toEqual([refusal(place)]);
  });
});
