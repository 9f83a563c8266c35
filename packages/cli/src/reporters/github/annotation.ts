import { visible, visibleLine } from "@kindlm/core/program";

/** What GitHub Actions shows next to a line of a file, or for the run. */
export interface Annotation {
  level: "error" | "warning" | "notice";
  title: string;
  /** May have several lines. */
  message: string;
  place?: { file: string; line: number; column: number };
}

/** Longer messages are cut by GitHub, in the middle of what they say. */
const longestMessage = 3_000;

/**
 * A workflow command, such as `::error file=a.yaml,line=3,col=5,title=t::message`. Escapes as in the toolkit of GitHub
 * Actions: `%`, line ends, and in properties also `:` and `,`.
 */
export function annotation({ level, title, message, place }: Annotation): string {
  const properties = [
    ...(place === undefined ? [] : [`file=${property(place.file)}`, `line=${place.line}`, `col=${place.column}`]),
    `title=${property(visibleLine(title))}`,
  ];
  return `::${level} ${properties.join(",")}::${data(visible(message).slice(0, longestMessage))}\n`;
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
