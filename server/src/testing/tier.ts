// Which of the two runs this is, for kits (*.kit.test.ts), which run in both.
import { inject } from 'vitest';
import { MAJORS, type Major } from './servers/cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** `everyday` in npm test, `proof` in npm run prove. */
    tier: 'everyday' | 'proof';
  }
}

/** npm run prove: everything that a kit has. */
export const isProof = (): boolean => inject('tier') === 'proof';

/** The versions on which kits play all their scenes: the oldest and the newest everyday, all of them in the proof. */
export function majorsOfKits(): readonly Major[] {
  return isProof() ? MAJORS : MAJORS.filter((major) => major === MAJORS[0] || major === MAJORS.at(-1));
}
