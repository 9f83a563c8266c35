/** Conversations and reports are for who ran them: others of the same machine read none. */
export const privateFile = 0o600;
export const privateFolder = 0o700;
