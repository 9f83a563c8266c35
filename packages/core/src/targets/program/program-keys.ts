import * as z from "../../values/deferred-zod.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { ProgramSettings } from "../define-target.js";

export type ProxySettings = Pick<ProgramSettings, "proxy" | "runsTools">;

export const noProxy: ProxySettings = { proxy: false, runsTools: false };

/** `proxy:` of a target whose agent asks models: by itself, or through KindLM. */
export const proxySchema = z
  .union([
    z.boolean().transform((proxy): ProxySettings => ({ proxy, runsTools: false })),
    strictObject({
      run_tools: z
        .boolean()
        .describe(
          "Runs the calls of tools that the test defines in KindLM: the agent's own tools of these names are never run",
        ),
    }).transform(({ run_tools: runsTools }): ProxySettings => ({ proxy: true, runsTools })),
  ])
  .meta({ examples: [true, { run_tools: true }] });

/** The keys of every target except a model. */
export function programKeys(kind: string) {
  return {
    id: z
      .string()
      .trim()
      .regex(/^[^\s@#/[\]]+$/, { error: "no space, and none of @ # / [ ]" })
      .optional()
      .describe(`Name of the agent, behind the @ of its case ids (${kind})`)
      .meta({ examples: ["shop-agent"] }),
  };
}
