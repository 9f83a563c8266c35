import { defineBuiltin, refuse } from "../builtin-tool.js";
import { todoStatuses } from "./todo-list.js";

export const todoRead = defineBuiltin({
  name: "todo_read",
  description: "Returns your todo list.\n\nRead it when you continue after other work, and before you change it.",
  params: {},
  attributes: { readonly: true, no_effect: true },
  run: async (_args, { todos }) => ({ ok: true, value: { todos: todos.read() } }),
});

export const todoWrite = defineBuiltin({
  name: "todo_write",
  description:
    "Replaces your todo list with a new one.\n\nWrite the complete list each time, with the todos that did not change. IDs must be unique, and at most one todo can be in progress. Mark a todo as completed as soon as it is done.",
  params: {
    todos: {
      type: "array",
      description: "The complete list",
      items: {
        type: "object",
        properties: {
          id: { type: "string", description: "Unique in the list" },
          title: { type: "string", description: "What is to be done" },
          status: { type: "string", enum: todoStatuses, description: "How far it is" },
          notes: { type: "string", required: false, description: "What else to remember" },
        },
      },
    },
  },
  async run({ todos: written }, { todos }, { emit }) {
    const saved = todos.write(written);
    if (!saved.success) return refuse(saved.error);
    emit("todo_changed", { todos: written });
    return { ok: true, value: { ok: true, todos: written } };
  },
});
