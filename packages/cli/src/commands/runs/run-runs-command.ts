import { didYouMean, findRun, listRuns, locateRoot, pruneRuns, type Clock, type PruneLimits } from "@kindlm/core";
import { errorViewOf } from "../../error-view.js";
import { quoteArgument } from "../../quote-argument.js";
import { renderError } from "../../render-error.js";
import { UsageError } from "../../usage-error.js";
import type { Invocation } from "../command-definition.js";
import type { RunsFlags } from "./command.js";
import { renderPruneOutcome } from "./render-prune-outcome.js";
import { renderRun } from "./render-run.js";
import { renderRunTable } from "./render-run-table.js";

/** What every action of the command works on. */
interface Asked {
  invocation: Invocation;
  flags: RunsFlags;
  /** The folder that `.kindlm` stands in. */
  root: string;
  clock: Clock;
}

const actions = { list, show, prune };

export async function runRunsCommand(invocation: Invocation): Promise<number> {
  const { args, environment, global } = invocation;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- commander has no types for parsed flags
  const flags = invocation.options as unknown as RunsFlags;
  const action = actionOf(args[0] ?? "list");
  checkFlags(action, flags, args[1]);
  const place = { paths: global.config, ...(flags.root === undefined ? {} : { root: flags.root }) };
  const root = await locateRoot(place, environment.cwd);
  return actions[action]({ invocation, flags, root, clock: environment.clock });
}

function actionOf(written: string): keyof typeof actions {
  if (written === "list" || written === "show" || written === "prune") return written;
  const fix = didYouMean(written, Object.keys(actions)) ?? `Known: ${Object.keys(actions).join(", ")}`;
  throw new UsageError(`kindlm runs does not know "${written}"`, fix);
}

function checkFlags(action: keyof typeof actions, flags: RunsFlags, run: string | undefined): void {
  const hasLimits = flags.keep !== undefined || flags.olderThan !== undefined;
  if (action === "prune" && !hasLimits) {
    throw new UsageError("Nothing says which runs may go", "Write: kindlm runs prune --keep 20 --older-than 30d");
  }
  if (action !== "prune" && (hasLimits || flags.dryRun)) {
    throw new UsageError("--keep, --older-than and --dry-run need prune", "Write: kindlm runs prune --keep 20");
  }
  if (action !== "show" && run !== undefined) {
    throw new UsageError(`kindlm runs ${action} takes no run`, `Write: kindlm runs show ${run}`);
  }
}

async function list({ invocation, flags, root, clock }: Asked): Promise<number> {
  const runs = await listRuns(root, clock);
  return print(invocation, flags.json ? toJson(runs) : renderRunTable(runs), flags);
}

async function show({ invocation, flags, root, clock }: Asked): Promise<number> {
  const { args, environment, global } = invocation;
  const found = await findRun(root, args[1] ?? null, environment.cwd, clock);
  if (found.success) {
    return print(
      invocation,
      flags.json ? toJson(found.data) : renderRun(found.data, placeFlags(global.config, flags.root)),
      flags,
    );
  }
  await environment.stderr.write(renderError(found.error, errorViewOf(invocation)));
  return 1;
}

/** The flags that say where the run is, as they were written. */
function placeFlags(configs: readonly string[], root: string | undefined): string {
  const words = [...configs.flatMap((config) => ["-c", config]), ...(root === undefined ? [] : ["--root", root])];
  return words.map((word) => ` ${quoteArgument(word)}`).join("");
}

async function prune({ invocation, flags, root, clock }: Asked): Promise<number> {
  const limits: PruneLimits = { dryRun: flags.dryRun };
  if (flags.keep !== undefined) limits.keep = flags.keep;
  if (flags.olderThan !== undefined) limits.olderThanMs = flags.olderThan;
  const outcome = await pruneRuns(root, limits, clock);
  const { removed, freedBytes, problems } = outcome;
  const ids = removed.map(({ id }) => id);
  const failed = problems.map(({ id, error }) => ({ id, message: error.message }));
  const report = { dryRun: flags.dryRun, removed: ids, freedBytes, failed };
  const text = flags.json ? toJson(report) : renderPruneOutcome(outcome, flags.dryRun);
  const code = await print(invocation, text, flags);
  return problems.length === 0 ? code : 1;
}

async function print({ environment }: Invocation, text: string, { json }: RunsFlags): Promise<number> {
  const problem = await environment.stdout.write(text, json ? "json" : "text");
  if (problem !== null) await environment.stderr.write(`✗ The output could not be written: ${problem}\n`);
  return problem === null ? 0 : 1;
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
