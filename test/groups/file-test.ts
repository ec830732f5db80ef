import { currentFileTest } from './run-group.ts'

/** What a test file of a group imports as `tap`. */
export default currentFileTest()
