import type { TestInput } from "../resolved-config.js";
import type { WrittenTest } from "../schema/suite-schema.js";
import type { FileAccess } from "../file-references.js";
import { report, type Section } from "../source/section.js";
import type { Path } from "../source/yaml-document.js";
import type { TemplateText } from "./check-placeholders.js";
import { prepareAssertions, type PreparedAssertion } from "./prepare-assertions.js";
import { resolveMessages } from "./resolve-messages.js";

export interface ResolvedInput {
  input: TestInput;
  userTurns: number;
  texts: readonly TemplateText[];
  /** Those of the turns of a conversation. */
  assertions: readonly PreparedAssertion[];
}

const nothing: ResolvedInput = { input: { kind: "messages", messages: [] }, userTurns: 1, texts: [], assertions: [] };
const inputKeys = ["input", "messages", "conversation"] as const;

/** What the user says in a test: one of `input`, `messages` and `conversation`. `section` is the test. */
export async function resolveInput(section: Section, test: WrittenTest, access: FileAccess): Promise<ResolvedInput> {
  const [key, second] = inputKeys.filter((name) => test[name] !== undefined);
  if (key === undefined) {
    report(section, {
      path: ["name"],
      message: `Test "${test.name}" has no input`,
      hint: "Add input:, messages: or conversation:",
    });
    return nothing;
  }
  if (second !== undefined) {
    report(section, { path: [second], atKey: true, message: `"${second}" and "${key}" exclude each other` });
  }
  if (test.conversation !== undefined && key === "conversation") return conversationOf(section, test.conversation);
  if (typeof test.input === "string") {
    return {
      input: { kind: "messages", messages: [{ role: "user", content: test.input }] },
      userTurns: 1,
      texts: [{ value: test.input, section, path: ["input"] }],
      assertions: [],
    };
  }
  const written = test.input?.messages ?? test.messages ?? [];
  const path: Path = test.input === undefined ? ["messages"] : ["input", "messages"];
  const messages = await resolveMessages(section, path, written, access);
  return {
    input: { kind: "messages", messages },
    userTurns: 1,
    texts: [{ value: written, section, path }],
    assertions: [],
  };
}

function conversationOf(section: Section, written: NonNullable<WrittenTest["conversation"]>): ResolvedInput {
  const prepared = written.map((turn, index) =>
    prepareAssertions(section, ["conversation", index, "assert"], turn.assert),
  );
  const userTurns = written.map((turn, index) => ({
    content: turn.user,
    assertions: (prepared[index] ?? []).map((assertion) => assertion.template),
  }));
  return {
    input: { kind: "conversation", userTurns },
    userTurns: written.length,
    texts: written.map((turn, index) => ({ value: turn.user, section, path: ["conversation", index, "user"] })),
    assertions: prepared.flat().map((assertion) => ({ ...assertion, isOfUserTurn: true })),
  };
}
