import { didYouMean } from "@kindlm/core/program";
import { errorTable, isErrorCode, type ErrorCode, type Retryability } from "@kindlm/core";
import { renderError } from "../../errors/render-error.js";
import { UsageError } from "../../errors/usage-error.js";
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
  const text = flags.json
    ? toJson(asked === undefined ? chosen.map(describe) : describe(chosen[0] ?? "UNKNOWN_ERROR"))
    : asked === undefined
      ? listAll()
      : chosen.map((code) => explain(code, invocation)).join("");
  await environment.stdout.write(text, flags.json ? "json" : "text");
  return 0;
}

function findCode(asked: string): ErrorCode {
  const name = asked.trim().toUpperCase().replaceAll("-", "_");
  if (isErrorCode(name)) return name;
  const byNumber = codes.find((code) => String(errorTable[code].number) === name);
  if (byNumber !== undefined) return byNumber;
  throw new UsageError(
    `Unknown error code "${asked}"`,
    didYouMean(name, codes) ?? "Run kindlm explain to list all codes",
  );
}

function listAll(): string {
  const widest = Math.max(...codes.map((code) => code.length));
  return codes.map((code) => `${errorTable[code].number}  ${code.padEnd(widest)}  ${errorTable[code].when}\n`).join("");
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
