// The door to what changed between two times, and to one moment as it was. What is listed here is all that other
// rooms may use of it.
export { type EventChange, type EventKind, type FactEvent, factEventsBetween } from '../facts.ts';
export { type FactsOfMoment, type MomentAsked, type MomentPart, momentFactsOf, momentOf } from '../moment.ts';
export {
  type ChangedObject,
  type ObjectEvents,
  objectsGoneBetween,
  objectsMadeBetween,
  textsOf,
} from '../objects-changed.ts';
