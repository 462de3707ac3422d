// What a room needs of a language model to have a text written by one, whoever provides it (assistant/providers).

export interface GenerateInput {
  /** What the model is told to do. */
  instructions: string;
  /** The data it works on. */
  prompt: string;
  /** JSON Schema of the answer. */
  schema: Record<string, unknown>;
  /** Room for the answer itself, in tokens. */
  answer_tokens: number;
  signal?: AbortSignal;
  /** 45 s when absent. */
  timeout_ms?: number;
  /** Told what is about to be sent; throwing keeps it from being sent. */
  outgoing?: ((body: string | null) => void) | undefined;
}

export interface Generated {
  text: string;
  input_tokens: number | undefined;
  output_tokens: number | undefined;
}

export interface TextModel {
  readonly name: string;
  /** One model call; rejects with an OutboundError. */
  generate(input: GenerateInput): Promise<Generated>;
}

export interface TextModels {
  /** Undefined while none is configured. */
  readonly default: TextModel | undefined;
}
