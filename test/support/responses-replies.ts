import type { Answer } from "../../packages/core/src/__fixtures__/provider-replies.js";

/** A reply of OpenAI's Responses API, in the shape that it documents. */
export function responseBody({ text, toolCalls = [] }: Answer, extra: readonly unknown[] = []): ResponseBody {
  const output: Record<string, unknown>[] = extra.map((item) => ({ ...(item as object) }));
  if (text !== undefined) {
    output.push({
      id: "msg_67ccd3acc8d48190a77525dc6de64b4104becb25c45c1d41",
      type: "message",
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
    });
  }
  for (const { id, tool, args } of toolCalls) {
    const written = typeof args === "string" ? args : JSON.stringify(args);
    output.push({
      id: `fc_${id}`,
      type: "function_call",
      status: "completed",
      arguments: written,
      call_id: id,
      name: tool,
    });
  }
  return {
    id: "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b",
    object: "response",
    created_at: 1_741_476_542,
    status: "completed",
    completed_at: 1_741_476_543,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: "gpt-5-mini-2025-08-07",
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: 1,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    truncation: "disabled",
    usage: {
      input_tokens: 82,
      input_tokens_details: { cached_tokens: 64 },
      output_tokens: 17,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 99,
    },
    user: null,
    metadata: {},
  };
}

export interface ResponseBody extends Record<string, unknown> {
  output: readonly Record<string, unknown>[];
}

/** The same reply as the events of a stream, its text and arguments in two pieces each. */
export function responseEvents(response: ResponseBody): readonly Record<string, unknown>[] {
  const started = { ...response, status: "in_progress", output: [], usage: null };
  const events: Record<string, unknown>[] = [
    { type: "response.created", response: started },
    { type: "response.in_progress", response: started },
  ];
  for (const [index, item] of response.output.entries()) {
    const open = { ...item, status: "in_progress" };
    const at = { output_index: index, item_id: item["id"] };
    if (item["type"] === "message") {
      const [part] = item["content"] as { text: string }[];
      const inPart = { ...at, content_index: 0 };
      events.push({ type: "response.output_item.added", output_index: index, item: { ...open, content: [] } });
      events.push({ type: "response.content_part.added", ...inPart, part: { ...part, text: "" } });
      for (const delta of halves(part?.text ?? "")) {
        events.push({ type: "response.output_text.delta", ...inPart, delta, logprobs: [] });
      }
      events.push({ type: "response.output_text.done", ...inPart, text: part?.text, logprobs: [] });
      events.push({ type: "response.content_part.done", ...inPart, part });
    } else if (item["type"] === "function_call") {
      const written = String(item["arguments"]);
      events.push({ type: "response.output_item.added", output_index: index, item: { ...open, arguments: "" } });
      for (const delta of halves(written)) {
        events.push({ type: "response.function_call_arguments.delta", ...at, delta });
      }
      events.push({ type: "response.function_call_arguments.done", ...at, name: item["name"], arguments: written });
    } else {
      events.push({ type: "response.output_item.added", output_index: index, item: open });
    }
    events.push({ type: "response.output_item.done", output_index: index, item });
  }
  const last = response["status"] === "incomplete" ? "response.incomplete" : "response.completed";
  events.push({ type: last, response });
  return events.map((event, index) => ({ ...event, sequence_number: index }));
}

/** Events with their names, as OpenAI frames them. */
export function namedEvents(events: readonly Record<string, unknown>[]): string {
  return events.map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
