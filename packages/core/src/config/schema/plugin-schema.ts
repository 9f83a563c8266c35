import * as z from "../../values/deferred-zod.js";
import { deadlineSchema } from "../../schema-parts/duration-schema.js";
import { strictObject } from "../../schema-parts/strict-object.js";

const specifier = z
  .string()
  .min(1)
  .describe("File and export of the plugin, such as ./plugins/alert.ts#alert; without # its default export")
  .meta({ examples: ["./plugins/alert.ts"] });

/** `plugins:` of a config. */
export const pluginsSchema = z
  .array(
    z.union([
      specifier,
      strictObject({
        module: specifier,
        with: z
          .unknown()
          .optional()
          .describe("Options of the plugin; ${NAME} stands for an environment variable")
          .meta({ examples: [{ webhook: "${ALERT_WEBHOOK}" }] }),
        timeout: deadlineSchema
          .optional()
          .describe("How long a call of a hook is waited for. Default: 5s")
          .meta({ examples: ["2s"] }),
      }),
    ]),
  )
  .describe(
    "Your modules that are notified of failures and ends, or can change or block tool calls; called in this order",
  )
  .meta({
    examples: [["./plugins/alert.ts", { module: "./plugins/guard.ts", with: { forbid: ["delete_*"] }, timeout: "2s" }]],
  });

export type WrittenPlugin = z.output<typeof pluginsSchema>[number];
