import type { SessionSettings } from "../../targets/target.js";
import type { TodoList } from "../../tools/builtin/todo/todo-list.js";
import { TodoReminders, type TodoSettings } from "../../tools/builtin/todo/todo-reminders.js";
import { toJsonValue } from "../../values/to-json.js";
import type { RunContext } from "../run-context.js";
import type { TrialRef } from "../run-event.js";

/** What a session asks after the calls of each turn; undefined if the test wants no reminders. */
export function remindOfTodos(
  settings: TodoSettings | undefined,
  list: TodoList | null,
  ref: TrialRef,
  { emit, clock }: Pick<RunContext, "emit" | "clock">,
): SessionSettings["remind"] {
  if (settings === undefined || list === null) return undefined;
  const reminders = new TodoReminders(list, settings);
  return ({ callId, tool }) => {
    const reminder = reminders.next();
    if (reminder === null) return null;
    const { text, reason, todos } = reminder;
    const event = { name: "todo_reminder", data: toJsonValue({ reason, todos }), at: clock.now() };
    emit({ channel: "monitor", type: "tool:event", ...ref, tool, callId, name: event.name, data: event.data });
    return { text, event };
  };
}
