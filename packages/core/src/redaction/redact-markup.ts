/** A tag, a comment or an instruction; between them stands text. */
const tag = /<[^>]*>/g;
const attributeValue = /(?<==)"[^"]*"|(?<==)'[^']*'/g;
const entity = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));/g;
const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/**
 * Masks the attributes and text of XML or HTML, as they are read, and leaves everything else, so that it is as well
 * formed as before. In markup, `<` and `>` are written as entities everywhere but around tags.
 */
export function redactMarkupRuns(text: string, maskText: (text: string) => string): string {
  const maskRun = (run: string): string => {
    const said = readEntities(run);
    const masked = maskText(said);
    return masked === said ? run : encode(masked);
  };
  const pieces: string[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(tag)) {
    pieces.push(maskRun(text.slice(end, index)));
    pieces.push(
      found.replaceAll(attributeValue, (value) => `${value.charAt(0)}${maskRun(value.slice(1, -1))}${value.charAt(0)}`),
    );
    end = index + found.length;
  }
  pieces.push(maskRun(text.slice(end)));
  return pieces.join("");
}

/** The text with its entities read; meant for looking, not for writing. */
export function readEntities(run: string): string {
  if (!run.includes("&")) return run;
  return run.replaceAll(entity, (written, name?: string, decimal?: string, hex?: string) => {
    if (name !== undefined) return named[name] ?? written;
    const point = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return point <= 0x10_ff_ff ? String.fromCodePoint(point) : written;
  });
}

function encode(run: string): string {
  return run.replaceAll(/[&<>"'\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
