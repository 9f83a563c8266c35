import type { AssertionResult, TrialResult } from "@kindlm/core";
import {
  failingAssertions,
  isRecord,
  maskFor,
  preview,
  redactCopy,
  redactValue,
  visible,
  visibleLine,
  withExactIntegers,
} from "@kindlm/core/program";
import type {
  ReportAssertion,
  ReportField,
  ReportFiles,
  ReportJudge,
  ReportRow,
  ReportTrial,
} from "@kindlm/viewer/report-detail";
import { describeWorkspace } from "../../file-changes/describe-changes.js";
import { explainError } from "../../errors/explain-error.js";
import { fieldsOf, linesOf } from "../../transcript/list-value.js";
import type { CalledTool, TranscriptRow } from "../../transcript/transcript-row.js";
import { transcriptOf } from "../../transcript/transcript.js";
import { differencesOf, listArguments } from "../../findings/call-differences.js";
import { timelineOf } from "./timeline.js";

/** Characters of text that is shown. Longer ones are dumps, which would make a browser slow and are not read. */
const longestText = 100_000;
/** The same for the messages as the model had them, which labels contain. A judge receives fewer. */
const longestMessage = 1_000_000;

interface TrialOptions {
  redact(text: string): string;
  /** Commands as the user types them. */
  asTyped(text: string): string;
  withTranscript: boolean;
}

/** A trial as the page shows it, masked. Without its transcript, all else stays. */
export function describeTrial(trial: TrialResult, { redact, asTyped, withTranscript }: TrialOptions): ReportTrial {
  return new TrialDescription(trial, maskFor(trial.assertions, redact), asTyped).describe(withTranscript);
}

class TrialDescription {
  readonly #trial: TrialResult;
  readonly #mask: (text: string) => string;
  readonly #asTyped: (text: string) => string;
  readonly #failing: readonly AssertionResult[];

  constructor(trial: TrialResult, mask: (text: string) => string, asTyped: (text: string) => string) {
    this.#trial = trial;
    this.#mask = mask;
    this.#asTyped = asTyped;
    this.#failing = failingAssertions(trial.assertions);
  }

  describe(withTranscript: boolean): ReportTrial {
    const { trial, status, fresh, latencyMs, durationMs, costUsd, usage, attempts } = this.#trial;
    const { servedBy, gateway, finishReason, simulatedUser, assertions, messages } = this.#trial;
    const { inputTokens, outputTokens } = usage;
    const stoppedBy = simulatedUser?.stoppedBy;
    return {
      trial,
      status,
      ...(fresh === true ? { isConfirmation: true } : {}),
      error: this.#error(),
      latencyMs: Math.round(latencyMs),
      durationMs: Math.round(durationMs),
      costUsd,
      usage: { inputTokens, outputTokens },
      attempts,
      servedBy: servedBy === null ? null : this.#text(servedBy),
      ...(gateway?.programs === undefined ? {} : { askedBy: this.#text(gateway.programs.join(", ")) }),
      finishReason: finishReason === null ? null : this.#text(finishReason),
      ...(stoppedBy === undefined || stoppedBy === null ? {} : { stoppedBy }),
      assertions: assertions.map((one) => this.#assertion(one)),
      spans: timelineOf(this.#trial).map((span) => ({ ...span, name: this.#text(span.name) })),
      ...this.#files(withTranscript),
      rows: withTranscript ? transcriptOf(this.#trial).map((row) => this.#row(row)) : null,
      messages: withTranscript
        ? redactCopy(messages.map(withoutProviderData), (text) => cut(this.#mask(text), longestMessage))
        : [],
    };
  }

  #files(withDiffs: boolean): { files?: ReportFiles } {
    const described = describeWorkspace(this.#trial);
    if (described === null) return {};
    const changes = described.changes.map(({ path, diff, ...facts }) => ({
      ...facts,
      path: visibleLine(this.#mask(path)),
      ...(diff === null || !withDiffs ? {} : { diff: this.#text(diff) }),
    }));
    const remarks = [...described.refused, ...described.remarks].map((text) => this.#text(text));
    return { files: { changes, remarks } };
  }

  #error(): ReportTrial["error"] {
    const { error } = this.#trial;
    if (error === null) return null;
    const [first] = explainError(error, false);
    const fix = first?.fix === undefined ? null : this.#text(this.#asTyped(first.fix));
    return { code: error.code, message: this.#text(first?.title ?? error.message), fix };
  }

  #assertion({ type, id, userTurn, pass, skipped, score, message, ...more }: AssertionResult): ReportAssertion {
    const { judge, expected, parts } = more;
    return {
      type: this.#text(type),
      ...(id === undefined ? {} : { id: this.#text(id) }),
      ...(userTurn === undefined ? {} : { userTurn }),
      pass,
      ...(skipped === true ? { isSkipped: true } : {}),
      score,
      message: this.#text(message),
      ...(judge === undefined ? {} : { judge: this.#judge(judge, expected) }),
      ...(parts === undefined ? {} : { parts: parts.map((part) => this.#assertion(part)) }),
    };
  }

  #judge({ threshold, votes }: NonNullable<AssertionResult["judge"]>, expected: unknown): ReportJudge {
    const criteria = typeof expected === "string" ? this.#text(expected) : null;
    return { criteria, threshold, votes: redactCopy(votes, (text) => this.#text(text)) };
  }

  #row(row: TranscriptRow): ReportRow {
    const said = this.#said(row);
    const { atMs, agents } = row;
    const whose = agents === undefined ? {} : { agents: agents.map((agent) => this.#text(agent)) };
    const name = "name" in row && row.name !== undefined ? { name: this.#text(row.name) } : {};
    return { ...said, ...name, ...(atMs === null ? {} : { atMs: Math.round(atMs) }), ...whose };
  }

  #said(row: TranscriptRow): ReportRow {
    if ("call" in row) return this.#call(row.call);
    if ("result" in row) return { by: row.by, ...this.#listed(redactValue(row.result, this.#mask)) };
    return {
      by: row.by,
      text: this.#text(row.text),
      ...(row.note === undefined ? {} : { note: this.#text(row.note) }),
      ...(row.isTrouble === true ? { isTrouble: true } : {}),
    };
  }

  #call({ tool, args, raw, record, repeat }: CalledTool): ReportRow {
    const shown = redactValue(args, this.#mask);
    const exact = record === null ? shown : withExactIntegers(shown, record.exactIntegers);
    const changes = record?.stateChanges ?? [];
    return {
      by: "agent",
      tool: this.#text(tool),
      ...(raw === null ? this.#listed(exact) : { text: `${this.#text(raw)}  (not JSON)` }),
      ...this.#rejected(exact, record),
      ...(record === null ? { note: "not run" } : repeat > 1 ? { note: `call ${repeat} alike` } : {}),
      ...(changes.length === 0
        ? {}
        : {
            changes: changes.map(({ path, ...values }) => ({
              path: this.#text(path),
              ...("from" in values ? { from: this.#value(redactValue(values.from, this.#mask)) } : {}),
              ...("to" in values ? { to: this.#value(redactValue(values.to, this.#mask)) } : {}),
            })),
          }),
    };
  }

  /** The arguments again, if an assertion rejected some of them. */
  #rejected(args: unknown, record: CalledTool["record"]): { fields?: readonly ReportField[] } {
    const differing = record === null ? [] : differencesOf(record, this.#failing, this.#mask);
    if (differing.length === 0) return {};
    const listed = listArguments(isRecord(args) ? args : {}, differing, longestText);
    return {
      fields: listed.map(({ name, value, expected }) => ({
        name: this.#text(name),
        value: visible(value),
        ...(expected === undefined ? {} : { expected: visible(expected) }),
      })),
    };
  }

  /** The fields of an object, else text. The value is masked. */
  #listed(value: unknown): Pick<ReportRow, "text" | "fields"> {
    if (typeof value === "string") return { text: cut(visible(value), longestText) };
    if (value === undefined) return {};
    if (!isRecord(value)) return { text: this.#value(value) };
    return { fields: fieldsOf(value).map(([name, one]) => ({ name: visible(name), value: this.#value(one) })) };
  }

  #value(value: unknown): string {
    const lines = linesOf(value);
    return lines === null ? visible(preview(value, longestText)) : cut(visible(lines), longestText);
  }

  #text(text: string): string {
    return cut(visible(this.#mask(text)), longestText);
  }
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = text.slice(0, most).replace(/[\ud800-\udbff]$/, "");
  return `${kept}… ${text.length - kept.length} more characters`;
}

/** What an adapter keeps in a message for itself is of no use outside of it, and can be long. */
function withoutProviderData(message: TrialResult["messages"][number]): TrialResult["messages"][number] {
  if (message.role !== "assistant") return message;
  const { providerData: _providerData, ...kept } = message;
  return kept;
}
