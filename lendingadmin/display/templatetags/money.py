"""`{{ amount|money:currency }}`, `{{ amount|figure:currency }}`."""

from django import template

from lendingadmin.display import money as shown

register = template.Library()
register.filter("money", shown.money)
register.filter("figure", shown.figure)
