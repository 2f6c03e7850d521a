"""Groups whose coordinator assigns the partitions (KIP-848).

A member says in its heartbeats what it wants and what it has; it is told what it may have. Three
epochs tell how far things are:

    group epoch        rises whenever members, subscriptions or topics change
    assignment epoch   the group epoch that the target assignment was made for
    member epochs      the assignment epoch that each member has followed

Members follow one by one: whoever has too much gives it up first, whoever shall have more gets it
when it is free. Nobody stops while others move.

`coordinator` is the way in. A `draft` collects what a request changes, `target_assignment` asks an
assignor, `current_assignment` brings a member nearer to its target.
`classic_members` lets clients of the classic protocol take part while a group migrates, `migration`
turns a classic group into a consumer group and back.
"""
