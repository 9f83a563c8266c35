import { startsUserTurn, type Message, type AssistantMessage } from "../../transcript/message.js";
import type { Trial, TrialToolCall } from "../../transcript/trial.js";
import { argsOf } from "../../transcript/args-of.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import * as z from "../../values/deferred-zod.js";
import { matcherSchema } from "../../matchers/matcher-schema.js";
import type { Matcher } from "../../matchers/matcher.js";
import { preview } from "../../values/preview.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { evalError, missingField } from "../assertion-failure.js";
import { defineAssertion } from "../define-assertion.js";
import { argsOption } from "../tool-expectations/expected-call.js";
import { describeCall, placedCallData } from "../tool-expectations/made-calls.js";
import {
  describePatterns,
  looksLikeTool,
  patternReferences,
  toolPatterns,
} from "../tool-expectations/tool-patterns.js";

const type = "asks_before";

/** Where the agent asks: in a message to the user, or for the approval of the call itself. */
const askingWays = ["message", "approval"] as const;

export const asksBefore = defineAssertion({
  type,
  summary:
    "Before the first call of the tool the agent asked something in an answer without tool calls, and the user said something after it, or an approval was asked for each call; without a call it passes.",
  example: "{ type: asks_before, tool: cancel_order }",
  kind: "deterministic",
  spansUserTurns: true,
  options: strictObject({
    tool: toolPatterns.describe("Name of the tool, a glob such as delete_*, or a list of either."),
    args: argsOption,
    question: matcherSchema
      .optional()
      .describe(
        "The answer that asks must match this, such as { $regex: confirm }. Default: it holds a question mark.",
      ),
    by: z
      .enum(askingWays)
      .optional()
      .describe(
        "message: only a question in an answer counts. approval: only approvals that permissions ask for count. Default: either.",
      ),
  }).superRefine(({ by, question }, context) => {
    if (by !== "approval" || question === undefined) return;
    const message = '"question" has no effect with by: approval\nRemove it, or use by: message';
    context.addIssue({ code: "custom", path: ["question"], message });
  }),
  references: ({ tool }) => patternReferences(tool, "tool"),
  evaluate({ tool, args, question, by }, trial) {
    const { messages, toolCalls } = trial;
    const what = `${describePatterns(tool)}${args === undefined ? "" : ` with ${args.describe()}`}`;
    const isMeant = (call: TrialToolCall): boolean =>
      looksLikeTool(tool, call.tool) && (args === undefined || args.match(argsOf(call)).pass);
    if (by === "approval" && toolCalls === undefined) return missingField(type, "toolCalls");
    const approvals = judgeApprovals(toolCalls?.filter(isMeant) ?? [], what);
    if (by === "approval" || (by === undefined && approvals.isAsked)) return success(approvals.outcome);
    if (messages === undefined) return missingField(type, "messages");
    const calls = placeCalls(messages, trial);
    if (calls === null) {
      return evalError(
        type,
        `The "${type}" assertion needs the whole conversation, with its tool calls in their places`,
      );
    }
    const first = calls.find(({ call }) => isMeant(call));
    if (first === undefined) return success(nothingToAsk(what));
    const statements = findStatements(messages, question);
    const lastUser = messages.findLastIndex((message, at) => startsUserTurn(message) && at < first.at);
    const asked = statements.find(({ at, asks, isAnswer }) => isAnswer && asks !== null && at < lastUser);
    if (asked !== undefined) {
      const message = `${describeCall(first.call)} came after a question and the user's reply: ${shown(asked)}`;
      return success({ pass: true, score: 1, message });
    }
    const wish = question === undefined ? "a question" : `an answer (${question.describe(60)})`;
    return success({
      pass: false,
      score: 0,
      message: `Expected ${wish} and the user's reply before ${describeCall(first.call)}, but ${describeMiss(statements, first.at)}`,
      expected: `${wish} and the user's reply before ${what}`,
      actual: placedCallData(first.call),
    });
  },
});

function nothingToAsk(what: string): AssertionOutcome {
  return { pass: true, score: 1, message: `No call of ${what} was made, so nothing had to be asked` };
}

/** `isAsked`: approvals alone are enough. */
function judgeApprovals(
  calls: readonly TrialToolCall[],
  what: string,
): { isAsked: boolean; outcome: AssertionOutcome } {
  const isAsked = ({ permission }: TrialToolCall): boolean => permission?.id !== undefined;
  const asked = calls.find(isAsked);
  // A denied call ran neither way.
  const unasked = calls.find((call) => !isAsked(call) && call.permission?.decision !== "denied");
  if (unasked !== undefined) {
    return {
      isAsked: false,
      outcome: {
        pass: false,
        score: 0,
        message: `Expected an approval to be asked for each call of ${what}, but ${describeCall(unasked)} ran without`,
        expected: `an approval for each call of ${what}`,
        actual: placedCallData(unasked),
      },
    };
  }
  if (asked === undefined) return { isAsked: false, outcome: nothingToAsk(what) };
  const message = `An approval was asked for ${describeCall(asked)} and for every other call of ${what} that could run`;
  return { isAsked: true, outcome: { pass: true, score: 1, message } };
}

/** The question marks of the world's scripts, the Greek one (which looks like a semicolon) by its own code. */
const questionMark = /[?？؟՞፧⁇⁈⁉︖\u037E]/u;

/** Addresses and code hold question marks that ask nothing. What ends a sentence is not part of an address. */
const notProse = /```[^]*?```|`[^`\n]*`|\b(?:https?:\/\/|www\.)\S*[^\s?!.,;:)\]}"'*_>]/gi;

/** What the agent said in one message. */
interface Statement {
  text: string;
  at: number;
  /** It called no tools, so that the user could reply. */
  isAnswer: boolean;
  /** The question in it. */
  asks: string | null;
}

function findStatements(messages: readonly Message[], question: Matcher | undefined): readonly Statement[] {
  return messages.flatMap((message, at) =>
    message.role === "assistant" && message.text.trim() !== "" ? [toStatement(message, at, question)] : [],
  );
}

function toStatement({ text, toolCalls }: AssistantMessage, at: number, question: Matcher | undefined): Statement {
  const asks = question === undefined ? findQuestion(text) : question.match(text).pass ? text : null;
  return { text, at, isAnswer: toolCalls.length === 0, asks };
}

function describeMiss(statements: readonly Statement[], callAt: number): string {
  const questions = statements.filter(({ asks }) => asks !== null);
  const hasty = questions.find(({ at, isAnswer }) => at <= callAt && !isAnswer);
  if (hasty !== undefined) return `it called tools in the very message that asks: ${shown(hasty)}`;
  const late = questions.find(({ at }) => at > callAt);
  if (late !== undefined) return `it asked only afterwards: ${shown(late)}`;
  const answer = statements.findLast(({ at, isAnswer }) => isAnswer && at < callAt);
  if (answer !== undefined)
    return `its answer before that asks nothing of the kind: ${preview(answer.text.trim(), 100)}`;
  return "the agent had asked nothing before";
}

function shown({ asks, text }: Statement): string {
  return preview((asks ?? text).trim(), 100);
}

/** A tool call and where in the conversation it was made. */
interface PlacedCall {
  call: TrialToolCall;
  /** Index of the message that asked for it; between two messages where none did. */
  at: number;
}

/** The tool calls of a trial in its messages; null where a call has no place in them. */
function placeCalls(messages: readonly Message[], { toolCalls }: Trial): readonly PlacedCall[] | null {
  const requested = messages.flatMap((message, at): readonly PlacedCall[] =>
    message.role === "assistant" ? message.toolCalls.map(({ tool, args }) => ({ call: { tool, args }, at })) : [],
  );
  if (toolCalls === undefined) return requested;
  const users = messages.flatMap((message, at) => (startsUserTurn(message) ? [at] : []));
  // Calls of the history come first among the messages, and are not the trial's.
  const made = toolCalls.filter(({ delegates }) => delegates === undefined);
  const own = requested.slice(Math.max(0, requested.length - made.length));
  const isAligned = own.length === made.length && own.every(({ call }, i) => call.tool === made[i]?.tool);
  const placed: PlacedCall[] = [];
  let index = -1;
  for (const call of toolCalls) {
    const { userTurn = 0 } = call;
    // What a sub-agent calls has the place of the call that began its conversation.
    if (call.delegates === undefined) index += 1;
    // The messages of a single user turn do not show what was said before it.
    if (userTurn > users.length) return null;
    const user = users[userTurn - 1];
    const at = isAligned ? own[index]?.at : user === undefined ? undefined : user + 0.5;
    if (at === undefined) return null;
    placed.push({ call, at });
  }
  return placed;
}

/** The first sentence that ends in a question mark; null if there is none. */
export function findQuestion(text: string): string | null {
  const prose = text.replaceAll(notProse, (code) => "_".repeat(code.length));
  const end = prose.search(questionMark);
  if (end < 0) return null;
  const before = prose.slice(0, end);
  const start = Math.max(before.lastIndexOf("\n") + 1, endOfSentence(before));
  return text.slice(start, end + 1).trim();
}

function endOfSentence(text: string): number {
  return Math.max(...[". ", "! ", ": ", "。", "！"].map((mark) => text.lastIndexOf(mark) + 1));
}
