// Apart from the schemas, which the client does without.

/** The version of the documents. Version 1 only gains fields, which a server that does not know them ignores. */
export const uploadFormat = 1;

/** The most bytes of one request as sent, compressed or not. */
export const mostSentBytes = 5_242_880;
/** The most bytes of one request once inflated. */
export const mostInflatedBytes = 64 * 1024 * 1024;
/** The most cases of one part, and parts of one run. */
export const mostPartCases = 1_000;
export const mostParts = 100;
