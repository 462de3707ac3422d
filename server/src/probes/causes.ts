// Why a probe knows less than there is, as the collector stores it and the coverage shows it.

/** Why less is known than there is; the reason says it in words. */
export type Cause =
  | 'masked'
  | 'incomplete'
  | 'missing_extension'
  | 'missing_grant'
  | 'not_applicable'
  | 'disabled';
/** Of rows that were read all the same; with `missing_grant` what they are about is in none of them. */
export type RanCause = 'missing_grant' | 'masked' | 'incomplete';
