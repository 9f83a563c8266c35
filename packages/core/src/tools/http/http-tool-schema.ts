import * as z from "../../values/deferred-zod.js";
import type { JsonValue } from "../../values/json.js";
import { toolHttpMethods } from "../tool-config.js";

/** Keys of a tool that is an HTTP service, in addition to those of every tool. */
export const httpToolKeys = {
  url: z
    .string()
    .min(1)
    .optional()
    .describe("Address of the service; may hold {{args.x}}, which are escaped, and ${NAME} of the environment")
    .meta({ examples: ["http://127.0.0.1:8080/orders/{{args.order_id}}"] }),
  method: z
    .enum(toolHttpMethods)
    .optional()
    .describe("Default is POST")
    .meta({ examples: ["GET"] }),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe("Headers of the request; ${NAME} reads the environment")
    .meta({ examples: [{ authorization: "Bearer ${SHOP_TOKEN}" }] }),
  body: z
    .custom<JsonValue>((value) => value !== undefined)
    .optional()
    .describe("Body of the request: a string, or a value that is sent as JSON. Default: the arguments, none for GET")
    .meta({ examples: [{ id: "{{args.order_id}}" }] }),
  response_path: z
    .string()
    .min(1)
    .optional()
    .describe("Where in the reply's JSON the result stands; default is the whole reply")
    .meta({ examples: ["data.items.0"] }),
};
