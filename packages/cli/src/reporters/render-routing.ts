import type { RunResult } from "@kindlm/core";
import type { ReportOptions } from "./report-options.js";
import { nameCode } from "./markdown-parts.js";
import { routingCells, routingWords } from "./routing-words.js";

/** The confusion table of each suite that routes requests to tools; null if none does. */
export function renderRouting({ routing = [] }: RunResult, options: ReportOptions): string | null {
  if (routing.length === 0) return null;
  const parts = routing.flatMap((table) => {
    const [head = [], ...rows] = routingCells(table);
    const [corner = "", ...tools] = head;
    const right = tools.pop() ?? "";
    return [
      `\n### Routing of ${nameCode(table.suite, options)}\n`,
      `${routingWords(table)}\n`,
      `| ${[corner, ...tools.map((tool) => nameCode(tool, options)), right].join(" | ")} |`,
      `|${head.map(() => "---|").join("")}`,
      ...rows.map(([tool = "", ...cells]) => `| ${[nameCode(tool, options), ...cells].join(" | ")} |`),
      "",
    ];
  });
  return parts.join("\n");
}
