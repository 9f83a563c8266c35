import type { RoutingTable } from "@kindlm/core";
import { percent, renderCount, withCounts } from "@kindlm/core/program";

/** A confusion table as cells, headings first: expected tools down, called tools across. Names are as they are. */
export function routingCells({ rows }: RoutingTable): string[][] {
  const called = rows.flatMap((row) => row.called.map(({ tool }) => tool));
  const expected = rows.map((row) => row.expected);
  const tools = [...new Set([...expected, ...called.toSorted()])].filter((tool) => called.includes(tool));
  const columns = [...tools.filter((tool) => tool !== "none"), ...tools.filter((tool) => tool === "none")];
  return [
    ["expected \\ called", ...columns, "right"],
    ...rows.map((row) => [
      row.expected,
      ...columns.map((tool) => {
        const found = row.called.find((one) => one.tool === tool);
        return found === undefined ? "·" : renderCount(found.trials);
      }),
      percent(row.right / row.trials),
    ]),
  ];
}

/** Such as `11 of 12 requests led to the right tool`. */
export function routingWords({ right, trials }: RoutingTable): string {
  return withCounts`${right} of ${trials} requests led to the right tool`;
}
