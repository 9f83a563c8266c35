import { didYouMean } from "@kindlm/core/program";
import { errorTable, isErrorCode, type ErrorCode, type Retryability } from "@kindlm/core";
import { renderError } from "../../errors/render-error.js";
import { UsageError } from "../../errors/usage-error.js";
import { columnsOf } from "../../terminal/columns.js";
import { hangWidth } from "../../terminal/text-width.js";
import { wantsColor } from "../../terminal/wants-color.js";
import { toJson } from "../print-answer.js";
import type { InvocationOf } from "../command-definition.js";
import type { explainCommand } from "./command.js";
import { sampleErrors } from "./sample-errors.js";

const codes = Object.keys(errorTable).filter(isErrorCode);

type ExplainInvocation = InvocationOf<typeof explainCommand>;

export async function execute(invocation: ExplainInvocation): Promise<number> {
  const { args, flags, environment } = invocation;
  const [asked] = args;
  const chosen = asked === undefined ? codes : [findCode(asked)];
  const { stdout } = environment;
  // A program gets each entry on one line.
  const columns = stdout.isTerminal ? columnsOf(environment, stdout) - 1 : Number.POSITIVE_INFINITY;
  const text = flags.json
    ? toJson(asked === undefined ? chosen.map(describe) : describe(chosen[0] ?? "UNKNOWN_ERROR"))
    : asked === undefined
      ? listAll(columns)
      : wrap(chosen.map((code) => explain(code, invocation)).join(""), columns);
  await environment.stdout.write(text, flags.json ? "json" : "text");
  return 0;
}

function findCode(asked: string): ErrorCode {
  const name = asked
    .trim()
    .toUpperCase()
    .replaceAll(/[-\s]+/g, "_");
  if (isErrorCode(name)) return name;
  const byNumber = codes.find((code) => String(errorTable[code].number) === name);
  if (byNumber !== undefined) return byNumber;
  throw new UsageError(`Unknown error code "${asked}"`, suggest(name) ?? "Run kindlm explain to list all codes");
}

const mostSuggested = 4;

/** Codes with the words that were written, or else the nearest one, by its name, one of its words or its number. */
function suggest(name: string): string | undefined {
  const holding = name.length < 3 ? [] : codes.filter((code) => code.includes(name));
  if (holding.length > 0) return `Did you mean ${alternatives.format(holding.slice(0, mostSuggested))}?`;
  const nearest = didYouMean(name, codes);
  if (nearest !== undefined) return nearest;
  const numbers = codes.filter(
    (code) => /^\d+$/.test(name) && String(errorTable[code].number).startsWith(name.slice(0, 1)),
  );
  if (numbers.length > 0)
    return `Codes with near numbers: ${numbers.map((code) => `${errorTable[code].number} ${code}`).join(", ")}`;
  const words = new Map(codes.flatMap((code) => code.split("_").map((word) => [word, code] as const)));
  const word = /"(.*)"/.exec(didYouMean(name, words.keys()) ?? "")?.[1];
  return word === undefined ? undefined : suggest(word);
}

const alternatives = new Intl.ListFormat("en", { type: "disjunction" });

const leastRoom = 30;

function listAll(columns: number): string {
  const widest = Math.max(...codes.map((code) => code.length));
  const lines = codes.flatMap((code) => {
    const { number, when } = errorTable[code];
    const head = `${number}  ${code.padEnd(widest)}  `;
    if (columns - head.length >= leastRoom) return hangWidth(head, when, columns);
    return [`${number}  ${code}`, ...hangWidth(" ".repeat(5), when, columns)];
  });
  return `${lines.join("\n")}\n`;
}

/** Each line within the columns, what follows as far to the right as it begins. */
function wrap(text: string, columns: number): string {
  return text.replaceAll(/^( *)(.+)$/gm, (_, indent: string, line: string) =>
    hangWidth(indent, line, columns).join("\n"),
  );
}

function explain(code: ErrorCode, { environment, global }: ExplainInvocation): string {
  const { number, when, retried, attribution } = errorTable[code];
  const color = wantsColor(environment, environment.stdout, global.color);
  const example = renderError(sampleErrors[code], { color, verbose: false, asTyped: environment.asTyped });
  return [
    `${code} (${number})`,
    "",
    when,
    "",
    `Retried: ${retriedWords[retried]}`,
    attribution === "agent"
      ? "Counts: as not passed, because the agent is at fault"
      : "Counts: neither way, because the agent is not at fault",
    "",
    "For example:",
    "",
    ...example
      .trimEnd()
      .split("\n")
      .map((line) => `  ${line}`),
    "",
  ].join("\n");
}

const retriedWords: { [R in Retryability]: string } = {
  yes: "yes, the same call may work again",
  no: "no, the same call would not work either",
  "by-status": "by its HTTP status: 502, 503, 504 and 529; some presets add 500",
  "not-applicable": "no",
};

function describe(code: ErrorCode): { code: ErrorCode; number: number; when: string; retried: string; fault: string } {
  const { number, when, retried, attribution } = errorTable[code];
  return { code, number, when, retried, fault: attribution };
}
