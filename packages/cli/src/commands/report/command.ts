import type { CommandDefinition } from "../command-definition.js";

/** What commander makes of the flags below. */
export interface ReportFlags {
  reporter: readonly string[];
  root?: string;
}

export const reportCommand: CommandDefinition = {
  name: "report",
  summary: "Render a finished run again, without running anything",
  examples: [
    ["kindlm report", "shows the last run"],
    ["kindlm report 20260215-1030 --reporter json > report.json", "another run, for other programs"],
    ["kindlm report last --reporter junit=out/junit.xml", "a file for CI"],
  ],
  configure: (command) =>
    void command
      .argument("[run]", "id of the run, the beginning of it, or the path of its folder; default: the last run")
      .option(
        "--reporter <name[=file]>",
        "pretty, json, junit, markdown, github, csv or tap, to stdout or to a file; may be repeated",
        (value: string, before: readonly string[]) => [...before, value],
        [],
      )
      .option("--root <folder>", "where .kindlm stands"),
  load: async () => (await import("./run-report-command.js")).runReportCommand,
};
