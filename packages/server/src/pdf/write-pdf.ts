/** A line of text. `mono` has letters of one width, so that columns line up. */
export interface PdfLine {
  text: string;
  font: "bold" | "mono";
  size: number;
}

/** A4, in points. */
const page = { width: 595, height: 842, margin: 50 };
const leading = 1.4;
/** Of Courier: each letter has this share of its size. */
const letterWidth = 0.6;

/** Letters of a `mono` line of this size that fit. */
export function lettersIn(size: number): number {
  return Math.floor((page.width - 2 * page.margin) / (size * letterWidth));
}

/** What the fonts have beyond Latin-1 (Windows-1252), from 0x80; a space where they have nothing. */
const windows = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";

/** The number of a letter in the fonts. Those that they lack become "?". */
function codeOf(letter: string): number {
  const code = letter.codePointAt(0) ?? 0;
  if ((code >= 32 && code < 127) || (code >= 160 && code < 256)) return code;
  const place = letter === " " ? -1 : windows.indexOf(letter);
  if (place !== -1) return 128 + place;
  return code < 32 ? 32 : 63;
}

/** Text as PDF writes it. All but plain letters and digits are octal, so nothing can end the text. */
function literal(text: string): string {
  const codes = Array.from(text, (letter) => {
    const code = codeOf(letter);
    const isPlain = /[\w .,:;/%+-]/.test(String.fromCharCode(code)) && code < 127;
    return isPlain ? String.fromCharCode(code) : `\\${code.toString(8).padStart(3, "0")}`;
  });
  return `(${codes.join("")})`;
}

/** The lines of each page. */
function paginate(lines: readonly PdfLine[]): readonly (readonly PdfLine[])[] {
  const pages: PdfLine[][] = [[]];
  let room = page.height - 2 * page.margin;
  for (const line of lines) {
    room -= line.size * leading;
    if (room < 0) {
      pages.push([]);
      room = page.height - 2 * page.margin - line.size * leading;
    }
    pages.at(-1)?.push(line);
  }
  return pages;
}

function renderPage(lines: readonly PdfLine[]): string {
  const shown = lines.map(({ text, font, size }) => {
    const down = (size * leading).toFixed(1);
    return `/${font} ${size} Tf 0 -${down} Td ${literal(text)} Tj`;
  });
  return `BT ${page.margin} ${page.height - page.margin} Td\n${shown.join("\n")}\nET`;
}

/**
 * A PDF 1.4 file of lines of text, from top to bottom, on as many pages as they need. It uses fonts that every viewer
 * has, so it contains none; letters that they lack become "?".
 */
export function writePdf(title: string, lines: readonly PdfLine[]): Uint8Array {
  const pages = paginate(lines);
  const first = 6;
  const numbers = pages.map((_, index) => first + 2 * index);
  const font = (name: string): string =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${numbers.map((number) => `${number} 0 R`).join(" ")}] /Count ${pages.length} >>`,
    font("Helvetica-Bold"),
    font("Courier"),
    `<< /Title ${literal(title)} /Producer (KindLM) >>`,
    ...pages.flatMap((shown, index) => {
      const content = renderPage(shown);
      const resources = "/Resources << /Font << /bold 3 0 R /mono 4 0 R >> >>";
      const box = `/MediaBox [0 0 ${page.width} ${page.height}]`;
      return [
        `<< /Type /Page /Parent 2 0 R ${box} ${resources} /Contents ${first + 2 * index + 1} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  return assemble(objects);
}

/** With the table that says where each object begins. */
function assemble(objects: readonly string[]): Uint8Array {
  let text = "%PDF-1.4\n";
  const places: number[] = [];
  for (const [index, object] of objects.entries()) {
    places.push(text.length);
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const table = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const end = `trailer\n<< /Size ${size} /Root 1 0 R /Info 5 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(`${text}xref\n0 ${size}\n0000000000 65535 f \n${table}${end}`, "latin1");
}
