import { renderCount, renderDuration, renderUsd } from "@kindlm/core/program";

/** What a trial takes, as people know it: the name of each figure, and how a value is shown. */
export const effortWords = {
  cost: { name: "cost", render: renderUsd },
  tokens: { name: "tokens", render: (value: number): string => renderCount(Math.round(value)) },
  latency: { name: "latency", render: renderDuration },
  turns: { name: "turns", render: tenths },
  tool_calls: { name: "tool calls", render: tenths },
};

function tenths(value: number): string {
  return String(Number(value.toFixed(1)));
}
