import { renderDuration, visibleLine, withCounts } from "@kindlm/core/program";
import { findRun, type RunListing, type RunState } from "@kindlm/core/commands/runs";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import type { AsTyped } from "../../arguments/as-typed.js";
import { quoteArgument } from "../../arguments/quote-argument.js";
import type { InvocationOf } from "../command-definition.js";
import type { showCommand } from "./command.js";
import { checkRemote } from "./check-remote.js";
import { costWord, renderSize, shardWord, stateWord } from "./run-words.js";

export async function execute(invocation: InvocationOf<typeof showCommand>): Promise<number> {
  const { args, flags, global, environment } = invocation;
  checkRemote(flags);
  if (flags.remote) return (await import("./show-remote.js")).showRemote(invocation);
  const project = { paths: global.config, ...given({ root: flags.root }) };
  const found = await findRun({ ...project, run: args[0] }, environment);
  if (!found.success) return printError(invocation, found.error);
  // The flags that say where the run is, as they were written.
  const words = [
    ...global.config.flatMap((config) => ["-c", config]),
    ...(flags.root === undefined ? [] : ["--root", flags.root]),
  ];
  const place = words.map((word) => ` ${quoteArgument(word)}`).join("");
  return printAnswer(invocation, {
    data: found.data,
    text: renderRun(found.data, { place, asTyped: environment.asTyped }),
  });
}

/**
 * What is known of one run, and the commands that can be used on it.
 *
 * @param how - `place`: the flags that say where the run is, to be repeated in those commands; empty for none
 */
function renderRun(run: RunListing, { place, asTyped }: { place: string; asTyped: AsTyped }): string {
  const { id, path, counts, durationMs, startedAt, project, kindlm, seed, bytes } = run;
  const facts: readonly (readonly [string, string])[] = [
    ["state", describeState(run)],
    ["project", project ?? ""],
    ["shard", shardWord(run)],
    ["started", startedAt ?? ""],
    ["took", durationMs === null ? "" : renderDuration(durationMs)],
    [
      "cases",
      counts === null
        ? ""
        : withCounts`${counts.passed} passed, ${counts.failed} failed, ${counts.errored} errored, ${counts.skipped} skipped`,
    ],
    ["cost", costWord(run)],
    ["seed", seed === null ? "" : String(seed)],
    ["kindlm", kindlm ?? ""],
    ["folder", path],
    ["size", renderSize(bytes)],
  ];
  const steps = nextSteps(run);
  const widest = Math.max(...steps.map(([does]) => does.length));
  return `${[
    `Run ${visibleLine(id)}`,
    ...facts.filter(([, text]) => text !== "").map(([name, text]) => `  ${name.padEnd(8)} ${visibleLine(text)}`),
    "",
    ...steps.map(([does, command]) => `${does.padEnd(widest)} ${asTyped(command)}${place}`),
  ].join("\n")}\n`;
}

const stateMeaning: { [S in RunState]: string } = {
  finished: "",
  interrupted: "it was stopped before it finished",
  unfinished: "it was interrupted; its finished trials are kept",
  running: "it is still running",
  damaged: "this version of KindLM cannot read it",
};

function describeState(run: RunListing): string {
  const meaning = stateMeaning[run.state];
  return meaning === "" ? stateWord(run) : `${stateWord(run)}: ${meaning}`;
}

/** What one may want to do, and the command for it. */
function nextSteps({ id, state, verdict }: RunListing): readonly (readonly [string, string])[] {
  const run = quoteArgument(visibleLine(id));
  const resume = ["Resume it:", `kindlm test --resume --run ${run}`] as const;
  const report = ["Show its results:", `kindlm report ${run}`] as const;
  const rerun = ["Rerun what failed:", `kindlm test --rerun-failed --run ${run}`] as const;
  switch (state) {
    case "finished":
      return verdict === "passed" ? [report] : [report, rerun];
    case "interrupted":
      return [resume, report];
    case "unfinished":
      return [resume];
    case "running":
      return [["Check again:", `kindlm runs show ${run}`]];
    case "damaged":
      return [["Start a new run:", "kindlm test"]];
  }
}
