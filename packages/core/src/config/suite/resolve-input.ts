import type { TestInput } from "../resolved-config.js";
import type { WrittenTest } from "../schema/suite-schema.js";
import { resolveReference, unusableFile, type FileAccess } from "../file-references.js";
import { report, type Section } from "../source/section.js";
import type { Path } from "../source/written.js";
import type { TemplateText } from "./check-placeholders.js";
import { prepareAssertions, type PreparedAssertion } from "./prepare-assertions.js";
import { mapInSequence } from "../map-in-sequence.js";
import { isInputOptional, type WrittenTarget } from "./resolve-target.js";
import { builtinUserTurns } from "./resolve-simulated-user.js";
import path from "node:path";
import { attempt } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import { readBytes } from "../../files/open-for-reading.js";
import type { ContentPart, Message, RequestedToolCall } from "../../transcript/message.js";
import type { WrittenMessage } from "../schema/input-schema.js";
import { problemOf } from "../source/source-files.js";

const mediaTypes: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};
const mostImageBytes = 20 * 1024 * 1024;

export interface ResolvedInput {
  input: TestInput;
  userTurns: number;
  texts: readonly TemplateText[];
  /** Those of the turns of a conversation. */
  assertions: readonly PreparedAssertion[];
}

const nothing: ResolvedInput = { input: { kind: "messages", messages: [] }, userTurns: 1, texts: [], assertions: [] };
const inputKeys = ["input", "messages", "conversation"] as const;

/** What the user says in a test: one of `input`, `messages` and `conversation`. `section` is the test, and `ofSuite` the target of its suite. */
export async function resolveInput(
  section: Section,
  test: WrittenTest,
  access: FileAccess,
  ofSuite: Pick<WrittenTarget, "target"> | null | undefined,
): Promise<ResolvedInput> {
  const [key, second] = inputKeys.filter((name) => test[name] !== undefined);
  const user = test.simulated_user;
  // What it will say is not known, but not more than this.
  const userTurns = user === undefined ? 1 : (user.max_turns ?? builtinUserTurns);
  if (key === undefined && (user !== undefined || isInputOptional(test.target, ofSuite)))
    return { ...nothing, userTurns };
  if (key === undefined) {
    report(section, {
      path: ["name"],
      message: `Test "${test.name}" has no input`,
      hint: "Add input:, messages:, conversation: or simulated_user:",
    });
    return nothing;
  }
  if (second !== undefined) {
    report(section, { path: [second], atKey: true, message: `"${second}" and "${key}" cannot be combined` });
  }
  if (test.conversation !== undefined && user !== undefined) {
    report(section, {
      path: ["simulated_user"],
      atKey: true,
      message: '"simulated_user" and "conversation" cannot be combined',
      hint: "Write the first message under input:; the simulated user continues from there",
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
  const at: Path = test.input === undefined ? ["messages"] : ["input", "messages"];
  const messages = await resolveMessages(section, at, written, access);
  const texts = [{ value: written, section, path: at }];
  return { input: { kind: "messages", messages }, userTurns, texts, assertions: [] };
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

type OpenCall = Pick<RequestedToolCall, "id" | "tool">;
type Written<Role extends WrittenMessage["role"]> = Extract<WrittenMessage, { role: Role }>;
type WrittenPart = Exclude<Written<"user">["content"], string>[number];

/** Written messages in the form of a transcript. What a provider would refuse is reported. */
async function resolveMessages(
  section: Section,
  at: Path,
  written: readonly WrittenMessage[],
  access: FileAccess,
): Promise<readonly Message[]> {
  const messages: Message[] = [];
  let open: OpenCall[] = [];
  let calls = 0;
  await mapInSequence(written, async (message, index) => {
    const here = [...at, index];
    if (message.role !== "tool" && open.length > 0) {
      reportOpen(section, here, open);
      open = [];
    }
    if (message.role === "user") {
      messages.push({
        role: "user",
        content: await resolveContent(section, [...here, "content"], message.content, access),
      });
    } else if (message.role === "assistant") {
      const toolCalls = (message.tool_calls ?? []).map(({ id, tool, args }) => {
        calls += 1;
        return { id: id ?? `call_${calls}`, tool, args };
      });
      if (message.content === undefined && toolCalls.length === 0) {
        report(section, { path: here, message: "An assistant message has neither content nor tool_calls" });
      }
      messages.push({ role: "assistant", text: message.content ?? "", toolCalls });
      open = [...toolCalls];
    } else {
      const answered = message.call_id === undefined ? open[0] : open.find((call) => call.id === message.call_id);
      if (answered === undefined) {
        report(section, {
          path: here,
          message: "This tool message answers no call",
          hint: "It has to follow an assistant message with tool_calls",
        });
        return;
      }
      open = open.filter((call) => call !== answered);
      messages.push(toolMessage(section, here, message, answered));
    }
  });
  const lastAt = [...at, written.length - 1];
  if (open.length > 0) reportOpen(section, lastAt, open);
  else if (messages.at(-1)?.role === "assistant") {
    report(section, {
      path: lastAt,
      message: "The last message must come from the user or a tool; the model answers it",
    });
  }
  return messages;
}

function reportOpen(section: Section, at: Path, open: readonly OpenCall[]): void {
  const names = open.map((call) => call.tool).join(", ");
  report(section, {
    path: at,
    message: `The call of ${names} has no result`,
    hint: "Add a message of role tool for each call",
  });
}

function toolMessage(section: Section, at: Path, message: Written<"tool">, call: OpenCall): Message {
  const { content } = message;
  if (content === undefined) report(section, { path: [...at, "content"], message: '"content" is missing' });
  return {
    role: "tool",
    callId: call.id,
    tool: call.tool,
    content: typeof content === "string" ? content : JSON.stringify(content ?? null),
    isError: message.is_error,
  };
}

/** A user message: a string, or text and images. `at` is its place in the config. */
async function resolveContent(
  section: Section,
  at: Path,
  content: Written<"user">["content"],
  access: FileAccess,
): Promise<string | readonly ContentPart[]> {
  if (typeof content === "string") return content;
  const parts = await mapInSequence(content, (part, index) => partOf(section, [...at, index], part, access));
  return parts.filter((part) => part !== null);
}

async function partOf(section: Section, at: Path, part: WrittenPart, access: FileAccess): Promise<ContentPart | null> {
  if (part.type === "text") return part;
  if (part.url !== undefined) return { type: "image", source: { kind: "url", url: part.url } };
  const written = part.file ?? "";
  const reference = { section, path: [...at, "file"], written, label: `Image "${written}"` };
  const mediaType = mediaTypes[path.extname(written).toLowerCase()];
  if (mediaType === undefined) {
    report(section, { path: reference.path, message: `"${written}" is not a png, jpeg, gif or webp file` });
    return null;
  }
  const absolute = resolveReference(reference, access);
  if (!absolute.success) {
    section.findings.add(absolute.error);
    return null;
  }
  const bytes = await attempt(
    () => readBytes(absolute.data, mostImageBytes),
    (cause) => kindlmError("CONFIG_FILE_REF_ERROR", messageOf(cause), { cause }),
  );
  if (!bytes.success) {
    section.findings.add(unusableFile(reference, problemOf(bytes.error.cause)));
    return null;
  }
  return { type: "image", source: { kind: "base64", mediaType, data: bytes.data.toString("base64") } };
}
