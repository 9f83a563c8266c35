import { placeholdersIn } from "../../values/template.js";
import { isRecord } from "../../values/json.js";
import type { DatasetRow, ResolvedTest, RetryUntil } from "../resolved-config.js";
import type { WrittenRetryUntil } from "../schema/retry-until-schema.js";
import type { WrittenTest } from "../schema/suite-schema.js";
import type { Findings } from "../source/finding.js";
import { report, subsection, type Section } from "../source/section.js";
import type { Path } from "../source/written.js";
import { checkPlaceholders, type TemplateText } from "./check-placeholders.js";
import { prepareAssertions, type PreparedAssertion } from "./prepare-assertions.js";

/** Names that feedback may contain in addition to those of the test. */
const feedbackNames = { reason: "", description: "", try: "" };

const defaultMaxTries = 3;

/** Every `retry_until` of a test. */
export interface ResolvedRetries {
  /** Empty where no turn is tried again. */
  settings: Pick<ResolvedTest, "retries">;
  assertions: readonly PreparedAssertion[];
  texts: readonly TemplateText[];
  feedbackTexts: readonly TemplateText[];
  /** How many of them a trial can fail by: such a test checks something without any other assertion. */
  checks: number;
}

const none: ResolvedRetries = {
  settings: {},
  assertions: [],
  texts: [],
  feedbackTexts: [],
  checks: 0,
};

/** `section` is the test; what is wrong is reported. */
export function resolveRetries(section: Section, test: WrittenTest): ResolvedRetries {
  const { conversation, retry_until: ofTest } = test;
  const ofTurns = (conversation ?? []).map((turn) => turn.retry_until);
  if (ofTest === undefined && ofTurns.every((turn) => turn === undefined)) return none;
  if (ofTest !== undefined && conversation !== undefined) {
    report(section, {
      path: ["retry_until"],
      atKey: true,
      message: '"retry_until" needs "input" or "messages", but a conversation has several answers',
      hint: "Set it under the turn whose answer must be approved",
    });
    return none;
  }
  if (ofTest !== undefined && test.simulated_user !== undefined) {
    report(section, {
      path: ["retry_until"],
      atKey: true,
      message:
        '"retry_until" cannot be combined with "simulated_user": the next user message depends on the first answer',
      hint: "Script the user's messages under conversation, or remove one of the two",
    });
    return none;
  }
  const found = conversation === undefined ? [ofTest] : ofTurns;
  const turns = found.map((written, index) =>
    written === undefined
      ? null
      : resolveOne(
          section,
          conversation === undefined ? ["retry_until"] : ["conversation", index, "retry_until"],
          written,
        ),
  );
  const set = turns.filter((turn) => turn !== null);
  return {
    settings: { retries: turns.map((turn) => turn?.retry ?? null) },
    assertions: set.flatMap((turn) => turn.assertions),
    texts: set.flatMap((turn) => turn.texts),
    feedbackTexts: set.flatMap((turn) => turn.feedbackTexts),
    checks: set.filter(({ retry }) => retry.isStrict).length,
  };
}

/** Reports the placeholders of a feedback that have no value. `rows` is undefined where they cannot be read. */
export function checkFeedback(
  { feedbackTexts }: ResolvedRetries,
  vars: Readonly<Record<string, unknown>>,
  rows: readonly DatasetRow[] | null | undefined,
  findings: Findings,
): void {
  if (rows !== undefined) checkPlaceholders(feedbackTexts, { ...vars, ...feedbackNames }, rows, findings);
}

type OneRetry = Pick<ResolvedRetries, "assertions" | "texts" | "feedbackTexts"> & { retry: RetryUntil };

function resolveOne(section: Section, at: Path, written: WrittenRetryUntil): OneRetry {
  const assertions = prepareOf(section, [...at, "assert"], written.assert);
  const stopWhen = prepareOf(section, [...at, "stop_when"], written.stop_when);
  const { description, feedback } = written;
  if (feedback !== undefined) checkFeedbackNames(subsection(section, at, written), feedback, description !== undefined);
  return {
    retry: {
      assertions: assertions.map(({ template }) => template),
      stopWhen: stopWhen.map(({ template }) => template),
      description: description ?? null,
      maxTries: written.max_tries ?? defaultMaxTries,
      feedback: feedback ?? null,
      isStrict: written.strict ?? true,
    },
    assertions: [...assertions, ...stopWhen],
    texts: description === undefined ? [] : [{ value: description, section, path: [...at, "description"] }],
    feedbackTexts: feedback === undefined ? [] : [{ value: feedback, section, path: [...at, "feedback"] }],
  };
}

/** They look at one user turn as it is answered. */
function prepareOf(section: Section, at: Path, list: unknown): readonly PreparedAssertion[] {
  return prepareAssertions(section, at, list).map((prepared) => {
    for (const path of userTurnsIn(prepared.template.raw)) {
      report(prepared.section, {
        path,
        atKey: true,
        message: '"user_turn" is not allowed here: the assertion checks the answer that is to be approved',
        hint: "Remove it, or check the other user turn under assert: of the test",
      });
    }
    return { ...prepared, isOfUserTurn: true, steers: true };
  });
}

function userTurnsIn(raw: unknown, at: Path = []): Path[] {
  if (!isRecord(raw)) return [];
  const members = ["all_of", "any_of", "of"].flatMap((key) => {
    const list: unknown = raw[key];
    return Array.isArray(list) ? list.flatMap((one: unknown, index) => userTurnsIn(one, [...at, key, index])) : [];
  });
  return [...(raw["user_turn"] === undefined ? [] : [[...at, "user_turn"]]), ...members];
}

function checkFeedbackNames(section: Section, feedback: string, hasDescription: boolean): void {
  const names = new Set(placeholdersIn(feedback).map(({ name }) => name));
  if (hasDescription && !names.has("description")) {
    report(section, {
      path: ["description"],
      atKey: true,
      message: '"description" has no effect: the feedback does not contain it',
      hint: "Add {{description}} to feedback, or remove one of the two",
    });
  }
  if (!hasDescription && names.has("description")) {
    report(section, {
      path: ["feedback"],
      message: "The feedback contains {{description}}, but no description is set",
      hint: "Add description:, or remove the placeholder",
    });
  }
  if (names.has("reason") || names.has("description")) return;
  report(section, {
    path: ["feedback"],
    severity: "warning",
    message: "The feedback does not say what is wrong with the answer",
    hint: "Add {{reason}}: the messages of the assertions that failed",
  });
}
