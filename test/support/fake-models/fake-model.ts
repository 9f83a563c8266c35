export interface NeutralRequest {
  system: string | null;
  userTexts: readonly string[];
  toolResults: readonly { tool: string | null; content: string }[];
  tools: readonly string[];
}

export interface NeutralAnswer {
  text: string;
  toolCalls: readonly { tool: string; args: unknown }[];
}

interface FakeRequest {
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Lets one neutral agent answer in a provider's wire format. */
export interface FakeModel {
  type: string;
  /** Entry of `providers:`. */
  config: (baseUrl: string) => Record<string, unknown>;
  env: Readonly<Record<string, string>>;
  read(request: FakeRequest): NeutralRequest;
  reply(answer: NeutralAnswer, isStream: boolean): { headers: Record<string, string>; body: string | Buffer };
  isStream(request: FakeRequest): boolean;
}
