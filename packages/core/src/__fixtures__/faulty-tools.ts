import { ToolRunner } from "../tools/tool-runner.js";
import { faultsSchema } from "../tools/faults/fault.js";
import type { ToolInvocation } from "../tools/tool-runtime.js";
import { createManualClock } from "./manual-clock.js";
import { simulatedTool } from "./simulated-tool.js";

export const orderAnswer = { id: "ORD-1", status: "delivered", customer: { email: "a@b", name: "Jo" } };
export const orderTool = { name: "order", default: { return: orderAnswer } };

/** Simulated tools with faults in front of them. `fired` calls a tool that many times and returns the faults it met. */
export function faultyTools(faults: readonly unknown[], { tools = [orderTool] as readonly unknown[], seed = 7 } = {}) {
  const clock = createManualClock();
  const runtime = new ToolRunner({
    tools: tools.map(simulatedTool),
    style: "envelope",
    recommendations: null,
    timeoutMs: 60_000,
    clock,
    scope: { city: "Bonn" },
    faults: { list: faultsSchema.parse(faults).list, seed },
  });
  const { signal } = new AbortController();
  const call = (tool = "order", args: unknown = { id: 1 }): Promise<ToolInvocation> =>
    runtime.invoke({ id: "c", tool, args }, { signal });
  const fired = async (count: number, tool = "order"): Promise<(string | undefined)[]> => {
    const met: (string | undefined)[] = [];
    // Faults count calls in their order.
    for (let index = 0; index < count; index += 1) met.push((await call(tool)).fault?.id);
    return met;
  };
  return { call, clock, fired, reports: () => runtime.faultReports() };
}
