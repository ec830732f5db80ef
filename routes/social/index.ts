import type { FastifyPluginAsync } from 'fastify'
import { followReasons } from '../../db/queries/follows.ts'
import { profileReasons } from '../../db/queries/profiles.ts'
import { optionalWallet, requireWallet } from '../../plugins/auth.ts'
import * as commentsSchemas from '../../schemas/comments.ts'
import * as profilesSchemas from '../../schemas/profiles.ts'
import * as socialSchemas from '../../schemas/social.ts'
import type { Domain } from '../domain.ts'
import changeComment from './change-comment.ts'
import followWallet from './follow-wallet.ts'
import getNamedProfile from './get-named-profile.ts'
import getProfile from './get-profile.ts'
import listAuthors from './list-authors.ts'
import listCreated from './list-created.ts'
import listFeed from './list-feed.ts'
import listFollows from './list-follows.ts'
import patchProfile from './patch-profile.ts'
import readNotifications from './read-notifications.ts'
import reportComment from './report-comment.ts'

/** Profiles, follows, feed, notifications and comments. The comments of a token are listed in routes/tokens. */
const social: FastifyPluginAsync = async (app) => {
  app.register(async (scope) => {
    scope.addHook('onRequest', optionalWallet)
    scope.register(getProfile)
    scope.register(getNamedProfile)
    scope.register(listCreated)
    scope.register(listFeed)
  })

  app.register(listFollows)
  app.register(listAuthors)

  app.register(async (scope) => {
    scope.addHook('onRequest', requireWallet)
    scope.register(patchProfile)
    scope.register(followWallet)
    scope.register(changeComment)
    scope.register(reportComment)
    scope.register(readNotifications)
  })
}

export default {
  plugin: social,
  tags: [{ name: 'Social', description: 'Comments, likes, follows, feed, profiles and notifications.' }],
  schemas: [...socialSchemas.components, ...commentsSchemas.components, ...profilesSchemas.components],
  reasons: { ...followReasons, ...profileReasons },
  channels: socialSchemas.channels,
  events: { ...socialSchemas.liveEvents, ...commentsSchemas.liveEvents },
} satisfies Domain
