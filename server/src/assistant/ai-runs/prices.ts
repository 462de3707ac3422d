// Prices of language models as the configuration gives them, and what a call costs by them. Pure. Guards: a model without a price
// costs an unknown amount, never nothing; tokens that a provider sells for less, such as cached ones, count in full.

/** US dollars a million tokens, such as `anthropic/claude-sonnet-4-5=3/15`; of models, `*` stands for all others. */
export const PRICE = /^([\w.-]{1,64})\/([^=\s]{1,256})=(\d{1,6}(?:\.\d{1,3})?)\/(\d{1,6}(?:\.\d{1,3})?)$/;

/** Nanodollars a token, whole numbers. */
interface Price {
  input: number;
  output: number;
}

const NANODOLLARS = 1e9;
/** Of a US dollar a million tokens. */
const NANODOLLARS_A_TOKEN = 1000;

export const dollarsOf = (nanodollars: number): number => nanodollars / NANODOLLARS;
export const nanodollarsOf = (dollars: number): number => Math.round(dollars * NANODOLLARS);

export class Prices {
  readonly #prices: ReadonlyMap<string, Price>;

  /** Each as in PRICE; of two for the same model the last one counts. */
  constructor(prices: readonly string[]) {
    const entries = prices.flatMap((one): (readonly [string, Price])[] => {
      const [, provider, model, input, output] = PRICE.exec(one) ?? [];
      if (provider === undefined) return [];
      const each = (dollars = '') => Math.round(Number(dollars) * NANODOLLARS_A_TOKEN);
      return [[`${provider}/${model}`, { input: each(input), output: each(output) }]];
    });
    this.#prices = new Map(entries);
  }

  /** In nanodollars; undefined where no price is set for the model. */
  cost(
    { provider, model }: { provider: string; model: string },
    tokens: { input: number; output: number },
  ): number | undefined {
    const price = this.#prices.get(`${provider}/${model}`) ?? this.#prices.get(`${provider}/*`);
    return price && tokens.input * price.input + tokens.output * price.output;
  }
}
