import type { TestInput } from "../resolved-config.js";
import type { WrittenTest } from "../schema/suite-schema.js";
import type { FileAccess } from "../file-references.js";
import { report, type Section } from "../source/section.js";
import type { Path } from "../source/written.js";
import type { TemplateText } from "./check-placeholders.js";
import { prepareAssertions, type PreparedAssertion } from "./prepare-assertions.js";
import { mapInSequence } from "../map-in-sequence.js";
import { resolveContent, resolveMessages } from "./resolve-messages.js";
import { builtinUserTurns } from "./resolve-simulated-user.js";

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
  const user = test.simulated_user;
  // What it will say is not known, but not more than this.
  const userTurns = user === undefined ? 1 : (user.max_turns ?? builtinUserTurns);
  if (key === undefined && user !== undefined) return { ...nothing, userTurns };
  if (key === undefined) {
    report(section, {
      path: ["name"],
      message: `Test "${test.name}" has no input`,
      hint: "Add input:, messages:, conversation: or simulated_user:",
    });
    return nothing;
  }
  if (second !== undefined) {
    report(section, { path: [second], atKey: true, message: `"${second}" and "${key}" exclude each other` });
  }
  if (test.conversation !== undefined && user !== undefined) {
    report(section, {
      path: ["simulated_user"],
      atKey: true,
      message: '"simulated_user" and "conversation" exclude each other',
      hint: "Write the first message under input:, and let the simulated user go on from there",
    });
  }
  if (test.conversation !== undefined && key === "conversation") {
    return conversationOf(section, test.conversation, access);
  }
  if (typeof test.input === "string") {
    return {
      input: { kind: "messages", messages: [{ role: "user", content: test.input }] },
      userTurns,
      texts: [{ value: test.input, section, path: ["input"] }],
      assertions: [],
    };
  }
  const written = test.input?.messages ?? test.messages ?? [];
  const path: Path = test.input === undefined ? ["messages"] : ["input", "messages"];
  const messages = await resolveMessages(section, path, written, access);
  return {
    input: { kind: "messages", messages },
    userTurns,
    texts: [{ value: written, section, path }],
    assertions: [],
  };
}

async function conversationOf(
  section: Section,
  written: NonNullable<WrittenTest["conversation"]>,
  access: FileAccess,
): Promise<ResolvedInput> {
  const prepared: PreparedAssertion[] = [];
  const userTurns = await mapInSequence(written, async (turn, index) => {
    const assertions = prepareAssertions(section, ["conversation", index, "assert"], turn.assert);
    prepared.push(...assertions);
    const content = await resolveContent(section, ["conversation", index, "user"], turn.user, access);
    return { content, assertions: assertions.map((assertion) => assertion.template) };
  });
  return {
    input: { kind: "conversation", userTurns },
    userTurns: written.length,
    texts: written.map((turn, index) => ({ value: turn.user, section, path: ["conversation", index, "user"] })),
    assertions: prepared.map((assertion) => ({ ...assertion, isOfUserTurn: true })),
  };
}
