"""Replays recorded requests in virtual time under other settings: ``antechamber what-if``."""
