import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";

type Part = CallToolResult["content"][number];

/** Content as text. Images and sounds are named, not shown: few models take them as the result of a tool. */
export function renderContent(content: readonly Part[]): string {
  return content.map(renderPart).join("\n");
}

function renderPart(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return `[${part.type} ${part.mimeType}, ${part.data.length} characters of base64]`;
    case "resource_link":
      return `[resource ${part.uri}]`;
    case "resource":
      return "text" in part.resource ? part.resource.text : `[resource ${part.resource.uri}]`;
  }
}
