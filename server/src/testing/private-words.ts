// Words that said nothing to a new reader, and figures that have their name once: what the rules of both halves look for.

/** As names of types, or as the last word of such a name. */
export const PRIVATE_TYPES =
  /\b(?:type|interface|class) (?:\w*(?:Wanted|Asked|Told|Heard|Standing|Calm|Steady|Homes|Gathering)|Known|Named|Found|Judged|Places?|Work|Ground|Matters|Usual|Heirs|Sight|Turn|Together|Inquire|Measured|Gains|Words)\b(?= [={]| extends|<)/g;

/** As names of anything. */
export const PRIVATE_NAMES =
  /(?<!\w)#?(?:calm|steady|homes|gathering|heirs|matters|standing|sight|ground)\b|\b(?:calm|CALM|STEADY|GATHER|STANDING|HOMES|HEIRS|TURN)_\w+/g;

/** A name for 1,000, 60,000, 3,600,000 or 86,400,000 ms, or a writer of times, of a file of its own. */
export const UNITS_AGAIN =
  /const (?:SECOND|MINUTE|HOUR|DAY|WEEK)_MS =|const (?:MINUTE|HOUR|DAY) = (?:60_000|3_600_000|86_400_000);|const iso = \(\w+: number\) => new Date\(\w+\)/g;
