import { calibrateJudge, type CalibrateOptions } from "@kindlm/core/commands/calibrate-judge";
import { createListeners } from "../../listeners/create-listeners.js";
import { errorViewOf } from "../../errors/error-view.js";
import { given } from "../given.js";
import { isCi } from "../../terminal/is-ci.js";
import { printAnswer, printError } from "../print-answer.js";
import { renderWarning } from "../../errors/render-error.js";
import { refuseRepeated } from "../../scoring/refuse-repeated.js";
import { UsageError } from "../../errors/usage-error.js";
import { wantsColor } from "../../terminal/wants-color.js";
import type { InvocationOf } from "../command-definition.js";
import type { calibrateCommand } from "./command.js";
import { renderCalibration } from "./render-calibration.js";

type CalibrateInvocation = InvocationOf<typeof calibrateCommand>;

/** Exit code 1 if a gate fails, a label could not be judged, or there is none. */
export async function execute(invocation: CalibrateInvocation): Promise<number> {
  const { flags, global, environment } = invocation;
  const { stdout, stderr, core } = environment;
  const options = toOptions(invocation);
  const view = errorViewOf(invocation);
  const { verbose, color } = view;
  const listeners = await createListeners({ environment, events: undefined, log: null, verbose, color });
  const calibrated = await calibrateJudge(options, { ...core, onEvent: listeners.onEvent });
  const problems = await listeners.stop();
  await stderr.write(problems.map((problem) => renderWarning(problem, view)).join(""));
  if (!calibrated.success) return printError(invocation, calibrated.error, global.config, flags.json ? {} : null);
  const report = calibrated.data;
  const text = renderCalibration(report, { color: wantsColor(environment, stdout, global.color), verbose });
  return printAnswer(invocation, { data: report, text, name: "report" }, report.isPassing ? 0 : 1);
}

function toOptions({ args, flags, global, environment }: CalibrateInvocation): CalibrateOptions {
  const { stdin, cwd, env } = environment;
  const config = args.find((name) => /\.ya?ml$/i.test(name));
  if (config !== undefined)
    throw new UsageError(`${config} looks like a config, not like labels`, `Name it with -c ${config}`);
  refuseRepeated(args, cwd);
  if (flags.assertion !== undefined && flags.test === undefined) {
    throw new UsageError("--assertion needs --test", "Name the test that contains it");
  }
  const labels = args.map((name) => (name === "-" ? { name: "stdin", chunks: stdin } : name));
  const { test, assertion, model, criteria, threshold, samples, minAgreement, minKappa } = flags;
  const { cassette, concurrency, maxCost: maxCostUsd, root } = flags;
  const judge = given({ test, assertion, model, criteria, threshold, samples, minAgreement, minKappa });
  return {
    paths: global.config,
    labels,
    ci: isCi(env),
    ...judge,
    ...given({ cassette, concurrency, maxCostUsd, root }),
  };
}
