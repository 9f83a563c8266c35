import { cassetteModes } from "@kindlm/core";
import { reporterNames } from "../reporters/registry.js";
import { parseCount, parseRate, parseUsd } from "./flag-parsers.js";
import { list, off, oneOf, parsed, text, toggle } from "./flag.js";

// Flags of more than one command. Where a command does something else under the same name, it declares a flag itself.

/** The flags that every command takes. */
export const globalFlags = {
  config: list("<path>", "Use this config file or folder", { short: "c" }),
  verbose: toggle("Show stacks, provider bodies, attempts, and timing"),
  color: off("Print no colors; NO_COLOR and FORCE_COLOR work too"),
};

export const all = toggle("Show every problem, equal ones one by one");
export const json = toggle("Print JSON");
export const root = text("<folder>", "Set the folder that contains .kindlm");
export const run = text("<id>", "Choose a run by its ID or a unique prefix", { note: "default: the last run" });
export const suite = list("<name>", "Include only this suite");
export const concurrency = parsed("<n>", "Run at most n trials at the same time", parseCount);
export const maxCost = parsed("<usd>", "Stop before the cost exceeds this amount", parseUsd);
export const cassette = oneOf("<mode>", "Record answers, replay them, or both", cassetteModes);
export const dryRun = toggle("Change nothing, and show what would change");
export const reporter = list("<name[=file]>", "Write a report to stdout or to a file", { choices: reporterNames });

/** Which cases are run or scored. */
export const selection = {
  suite,
  test: list("<pattern>", "Include only cases whose ID contains it or matches /it/", { short: "t" }),
  exclude: list("<pattern>", "Exclude cases, by the same patterns as --test"),
  tag: list("<tag>", "Include only tests with this tag"),
};

export const gate = parsed("<rate>", "Require this pass rate, from 0 to 1", parseRate);
export const journal = off("Do not write to .kindlm");
export const plugins = off("Do not load the plugins of the config");

/** What scoring takes wherever the conversations come from. */
export const scoring = { ...selection, concurrency, gate, maxCost, journal, plugins, root, all, reporter };
