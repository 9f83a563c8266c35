import { didYouMean, listCassettes, pruneCassettes, verifyCassettes, type Result } from "@kindlm/core";
import { errorViewOf } from "../../error-view.js";
import { renderError } from "../../render-error.js";
import { UsageError } from "../../usage-error.js";
import type { Invocation } from "../command-definition.js";
import { renderChecks, renderListings, renderPruned } from "./render-cassettes.js";

interface Answer {
  data: unknown;
  text: string;
  isSound: boolean;
}

const actions = ["list", "verify", "prune"] as const;

/** Exit code 1 where something could not be done, and where `verify` finds anything. */
export async function runCassetteCommand(invocation: Invocation): Promise<number> {
  const { args, options, global, environment } = invocation;
  const { stdout, stderr } = environment;
  const [written = "list", ...paths] = args;
  const action = actions.find((name) => name === written);
  if (action === undefined) {
    throw new UsageError(
      `Unknown action "${written}"`,
      didYouMean(written, actions) ?? `There are: ${actions.join(", ")}`,
    );
  }
  const isDryRun = options["dryRun"] === true;
  if (isDryRun && action !== "prune") throw new UsageError("--dry-run needs prune", "Leave it out: nothing is changed");
  const root = typeof options["root"] === "string" ? { root: options["root"] } : {};
  const question = { paths: [...paths, ...global.config], ...root };
  const answered = await answerOf(action, question, isDryRun, environment.core);
  if (!answered.success) {
    await stderr.write(renderError(answered.error, errorViewOf(invocation, question.paths)));
    return 1;
  }
  const { data, text, isSound } = answered.data;
  const wantsJson = options["json"] === true;
  await stdout.write(wantsJson ? `${JSON.stringify(data, null, 2)}\n` : text, wantsJson ? "json" : "text");
  return isSound ? 0 : 1;
}

async function answerOf(
  action: (typeof actions)[number],
  question: Parameters<typeof listCassettes>[0],
  isDryRun: boolean,
  world: Parameters<typeof pruneCassettes>[1],
): Promise<Result<Answer>> {
  switch (action) {
    case "list": {
      const listed = await listCassettes(question, world);
      if (!listed.success) return listed;
      return { success: true, data: { data: listed.data, text: renderListings(listed.data), isSound: true } };
    }
    case "verify": {
      const checked = await verifyCassettes(question, world);
      if (!checked.success) return checked;
      const isSound = checked.data.every(({ problems }) => problems.length === 0);
      return { success: true, data: { data: checked.data, text: renderChecks(checked.data), isSound } };
    }
    case "prune": {
      const pruned = await pruneCassettes({ ...question, isDryRun }, world);
      if (!pruned.success) return pruned;
      return { success: true, data: { data: pruned.data, text: renderPruned(pruned.data, isDryRun), isSound: true } };
    }
  }
}
