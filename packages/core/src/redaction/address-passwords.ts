const userInfo = /\/\/[^\s/@:]*:([^\s/@]+)@/g;
/** A key in place of a user, as in `https://<key>@sentry.example/1`: longer than names of people and accounts are. */
const keyAlone = /\/\/([^\s/@:]{16,}):?@/g;
/** `Password=…;` of ADO.NET and ODBC, `password=… ` of libpq, `?password=…&` of JDBC, `AccountKey=…` of Azure. */
const named =
  /(?:^|[;&?\s,])\s*(?:password|passwd|pwd|pass|account_?key|shared_?access_?key|shared_?access_?signature|secret(?:_?access)?_?key|client_?secret|access_?key|auth_?token|api_?key|sig)\s*=\s*(?:"([^"]+)"|'([^']+)'|([^;&\s"']+))/gi;

/** The passwords of the addresses in a string, such as `https://user:password@host`, as they are written and as they are meant. */
export function addressPasswords(text: string): readonly string[] {
  if (!text.includes("@")) return [];
  return [userInfo, keyAlone].flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(([, password = ""]) => [password, readEscapes(password)]),
  );
}

/** The passwords and keys of a connection string, such as `Server=db;User Id=me;Password=…`. */
export function connectionSecrets(text: string): readonly string[] {
  if (!text.includes("=")) return [];
  return [...text.matchAll(named)].flatMap(([, double, single, bare]) => {
    const value = double ?? single ?? bare ?? "";
    return [value, readEscapes(value)];
  });
}

function readEscapes(text: string): string {
  return text.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) =>
    Buffer.from(escapes.replaceAll("%", ""), "hex").toString(),
  );
}
