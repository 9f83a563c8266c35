import { calibrateJudge, cassetteModes, didYouMean, type CalibrateOptions, type CassetteMode } from "@kindlm/core";
import { errorViewOf } from "../../error-view.js";
import { explainError } from "../../explain-error.js";
import { isCi } from "../../is-ci.js";
import { renderError, renderWarning } from "../../render-error.js";
import { refuseRepeated } from "../../scoring/refuse-repeated.js";
import { UsageError } from "../../usage-error.js";
import { wantsColor } from "../../wants-color.js";
import type { Invocation } from "../command-definition.js";
import { createListeners } from "../../create-listeners.js";
import type { JudgeFlags } from "./command.js";
import { renderCalibration } from "./render-calibration.js";

/** Exit code 1 where a gate is missed, a label could not be judged, and where there is none. */
export async function runJudgeCommand(invocation: Invocation): Promise<number> {
  const { args, options, global, environment } = invocation;
  const [action = "", ...files] = args;
  if (action !== "calibrate") {
    throw new UsageError(`Unknown action "${action}"`, didYouMean(action, ["calibrate"]) ?? "There is: calibrate");
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- commander has no types for parsed flags
  const flags = options as unknown as JudgeFlags;
  const { env, stdout, stderr, core } = environment;
  const wanted = toOptions(flags, files, global.config, environment);
  const view = errorViewOf(invocation);
  const { verbose, color } = view;
  const listeners = await createListeners({ environment, events: undefined, log: null, verbose, color });
  const calibrated = await calibrateJudge({ ...wanted, ci: isCi(env) }, core, listeners.onEvent);
  const problems = await listeners.stop();
  await stderr.write(problems.map((problem) => renderWarning(problem, view)).join(""));
  if (!calibrated.success) {
    const { code, message } = calibrated.error;
    await stderr.write(renderError(calibrated.error, view));
    if (flags.json) {
      const explained = explainError(calibrated.error, false);
      await stdout.write(toJson({ error: { code, message, problems: explained } }), "json");
    }
    return 1;
  }
  const report = calibrated.data;
  const text = flags.json
    ? toJson(report)
    : renderCalibration(report, { color: wantsColor(environment, stdout, global.color), verbose: global.verbose });
  const problem = await stdout.write(text, flags.json ? "json" : "text");
  if (problem !== null) await stderr.write(`✗ The report could not be written: ${problem}\n`);
  return report.isPassing && problem === null ? 0 : 1;
}

function toOptions(
  flags: JudgeFlags,
  files: readonly string[],
  paths: readonly string[],
  { stdin, cwd }: Invocation["environment"],
): CalibrateOptions {
  const config = files.find((name) => /\.ya?ml$/i.test(name));
  if (config !== undefined)
    throw new UsageError(`${config} looks like a config, not like labels`, `Name it with -c ${config}`);
  refuseRepeated(files, cwd);
  if (flags.assertion !== undefined && flags.test === undefined) {
    throw new UsageError("--assertion needs --test", "Name the test that it stands in");
  }
  const labels = files.map((name) => (name === "-" ? { name: "stdin", chunks: stdin } : name));
  const options: CalibrateOptions = { paths, labels };
  const { test, assertion, model, criteria, threshold, samples, minAgreement, minKappa, concurrency, root } = flags;
  if (test !== undefined) options.test = test;
  if (assertion !== undefined) options.assertion = assertion;
  if (model !== undefined) options.model = model;
  if (criteria !== undefined) options.criteria = criteria;
  if (threshold !== undefined) options.threshold = threshold;
  if (samples !== undefined) options.samples = samples;
  if (minAgreement !== undefined) options.minAgreement = minAgreement;
  if (minKappa !== undefined) options.minKappa = minKappa;
  if (concurrency !== undefined) options.concurrency = concurrency;
  if (root !== undefined) options.root = root;
  if (flags.maxCost !== undefined) options.maxCostUsd = flags.maxCost;
  if (flags.cassette !== undefined) options.cassette = modeOf(flags.cassette);
  return options;
}

function modeOf(written: string): CassetteMode {
  const mode = cassetteModes.find((known) => known === written);
  if (mode !== undefined) return mode;
  throw new UsageError(
    `--cassette does not know "${written}"`,
    didYouMean(written, cassetteModes) ?? `There are: ${cassetteModes.join(", ")}`,
  );
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
