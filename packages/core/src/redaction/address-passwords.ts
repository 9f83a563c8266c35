const userInfo = /\/\/[^\s/@:]*:([^\s/@]+)@/g;

/** The passwords of the addresses in a text, such as `https://user:password@host`, as they are written and as they are meant. */
export function addressPasswords(text: string): readonly string[] {
  if (!text.includes("@")) return [];
  return [...text.matchAll(userInfo)].flatMap(([, password = ""]) => [password, readEscapes(password)]);
}

function readEscapes(text: string): string {
  return text.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) =>
    Buffer.from(escapes.replaceAll("%", ""), "hex").toString(),
  );
}
