// Which of the two runs this is, for kits (*.kit.test.ts), which run in both.
import { inject } from 'vitest';
import { MAJORS, type Major, PACKAGED_MAJORS } from './servers/cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** `everyday` in npm test, `proof` in npm run prove. */
    tier: 'everyday' | 'proof';
  }
}

/** npm run prove: what a kit leaves out everyday. */
export const isProof = (): boolean => inject('tier') === 'proof';

/** The newest version, which the everyday run knows. */
export const isEverydayMajor = (major: Major): boolean => major === PACKAGED_MAJORS.at(-1);

/** The oldest and the newest version, where most that changes between versions shows. */
export const endMajors: readonly Major[] = PACKAGED_MAJORS.filter(
  (_, at) => at === 0 || at === PACKAGED_MAJORS.length - 1,
);

/** The versions on which a kit plays its scenes: the newest everyday, all others in the proof. */
export const majorsOfKits = (): readonly Major[] =>
  MAJORS.filter((major) => isEverydayMajor(major) !== isProof());

/** For a kit that does more on each version in the proof, so all of them have their turn there. */
export const majorsInFull = (): readonly Major[] => (isProof() ? MAJORS : majorsOfKits());
