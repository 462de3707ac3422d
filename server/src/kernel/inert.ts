// Data for a model: what strangers chose, between marks that say it is no instruction. Guards: nothing in it can close a mark.

/** JSON in which no mark can be closed and no invisible character is left as it is. */
export function inert(value: unknown): string {
  const asEscapes = (character: string) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join('');
  return JSON.stringify(value).replaceAll(/[<>\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, asEscapes);
}
