import { cassetteModes } from "@kindlm/core";
import { reporterNames } from "../reporters/registry.js";
import { parseCount, parseRate, parseUsd } from "./flag-parsers.js";
import { list, off, oneOf, parsed, text, toggle } from "./flag.js";

// Flags of more than one command. Where a command does something else under the same name, it declares a flag itself.

/** The flags that every command takes. */
export const globalFlags = {
  config: list("<path>", "Read this config file or folder", {
    short: "c",
    note: "default: the nearest kindlm.yaml, here or above",
  }),
  verbose: toggle("Show detailed output: attempts, timing, and stack traces"),
  color: off("Disable colors"),
};

export const all = toggle("Show every problem, without merging equal ones");
export const json = toggle("Print the output as JSON");
export const root = text("<folder>", "Use the .kindlm folder in this folder");
export const run = text("<id>", "Use the run with this ID or unique prefix", { note: "default: the last run" });
export const suite = list("<name>", "Include only this suite");
export const concurrency = parsed("<n>", "Run at most n trials at a time", parseCount, {
  note: "default: defaults.concurrency in the config, or 8",
});
export const maxCost = parsed("<usd>", "Stop before the run costs more than this many US dollars", parseUsd);
export const cassette = oneOf("<mode>", "Record responses, replay them, or both", cassetteModes, {
  note: "default: cassette in the config, or off",
});
export const dryRun = toggle("Show what would change, and change nothing");
export const reporter = list("<name[=file]>", "Write a report to stdout or to a file", { choices: reporterNames });

/** Which cases are run or scored. */
export const selection = {
  suite,
  test: list("<pattern>", "Include only cases whose ID contains this text or /regex/", { short: "t" }),
  exclude: list("<pattern>", "Exclude cases, with the patterns of --test"),
  tag: list("<tag>", "Include only tests with this tag"),
};
export const model = list("<id>", "Include only this model");

export const gate = parsed("<rate>", "Fail the run below this pass rate, from 0 to 1", parseRate);
export const journal = off("Do not write to .kindlm");
export const plugins = off("Do not load the plugins in the config");

export const server = text("<url>", "Use the results server at this address", {
  note: "default: KINDLM_SERVER, or upload.server in the config",
});
export const project = text("<name>", "Use this project on the results server", {
  note: "default: upload.project or project in the config",
});
export const upload = toggle("Upload the run to the results server at the end");

/** What scoring takes wherever the conversations come from. */
export const scoring = { ...selection, concurrency, gate, maxCost, journal, plugins, root, all, reporter };
