import { strictObject } from "../../../schema-parts/strict-object.js";
import * as z from "../../../values/deferred-zod.js";
import type { TodoSettings } from "./todo-reminders.js";

/** `todos:` of a test or suite. */
export const todosSchema = strictObject({
  remind_after: z
    .int()
    .min(1)
    .describe("Turns with tool calls after which the agent is reminded of open todos, if its list has not changed"),
})
  .transform(({ remind_after: remindAfter }): TodoSettings => ({ remindAfter }))
  .describe("Reminders of the todo list that an agent writes with todo_write; none if left out")
  .meta({ examples: [{ remind_after: 5 }] });
